#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/connection.h"
#include "db/lease.h"
#include "db/transaction.h"
#include "transfer/rating_scan.h"
#include "transfer/row.h"
#include "transfer/row_file.h"

namespace transfer {

// The content of an export.
struct ExportRequest {
  Format format = Format::ndjson;
  Scopes scopes;
  Selection selection;  // the selection for ratings
};

// Converts the names "ratings", "settings" and "templates" to scopes. Returns nothing if "names" is
// empty or contains an unknown name.
[[nodiscard]] std::optional<Scopes> parse_scopes(const std::vector<std::string>& names);
// Returns the scopes that are exported by default: all scopes if the selection is empty, and
// otherwise only ratings.
[[nodiscard]] Scopes default_scopes(const Selection& selection);

// DESIGN. Creates an export file slice by slice, so memory use does not depend on the size of the
// export. The constructor begins the database snapshot from which all slices are read, so votes may
// arrive during the export. Ratings are exported in primary key order, so identical databases
// result in identical files. While the snapshot is open, the database must keep the old versions of
// changed rows, so only one export can run at a time, and connections to slow clients are closed.
//
// An export contains neither addresses nor data that identify a visitor's browser.
//
// The class is not thread-safe.
class Export {
 public:
  // "connection" must outlive this object and must not be used for anything else during the export.
  // All functions throw the same exceptions as db::Connection. The constructor throws db::Busy if
  // another export for the site is running.
  Export(db::Connection& connection, ExportRequest request);

  // Appends the next piece of the file to "out". Returns false at the end of the file.
  [[nodiscard]] bool next(std::string& out);

  [[nodiscard]] std::uint64_t rows() const { return rows_; }  // the number of rows written so far

 private:
  // Each of the following functions writes one part of the export file in slices. Each call appends
  // a slice to "out" and returns whether another call is needed.
  bool begin(std::string& out);
  bool write_ratings(std::string& out);
  bool write_aggregates(std::string& out);
  bool write_settings(std::string& out);
  bool write_templates(std::string& out);
  bool end(std::string& out);
  void write(const Row& row, std::string& out);

  db::Connection& connection_;
  const ExportRequest request_;
  const RowWriter writer_;
  const db::Lease lease_;
  const db::Transaction snapshot_;
  RatingScan ratings_;
  AggregateScan aggregates_;
  std::size_t part_ = 0;
  std::uint64_t rows_ = 0;
};

}  // namespace transfer
