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

// Returns the scopes with these names: ratings, settings, templates. Returns nothing if there is no
// name, or if a name is unknown.
[[nodiscard]] std::optional<Scopes> parse_scopes(const std::vector<std::string>& names);
// Returns the scopes for an export that names no scopes. These are all scopes, or only ratings if
// there is a selection.
[[nodiscard]] Scopes default_scopes(const Selection& selection);

// DESIGN. Produces a file piece by piece, one slice of rows at a time, so memory use does not
// depend on the size of the export. All slices read one snapshot, which the constructor takes, so
// votes may arrive in the meantime. Ratings are in primary key order, so equal databases produce
// equal files. The database keeps old versions of changed rows for the snapshot. So only one export
// can run at a time, and the code that sends the file closes connections to slow clients.
//
// An export contains neither addresses nor data that identify a visitor's browser.
//
// Must be used by only one thread.
class Export {
 public:
  // "connection" must outlive this object and must not be used for anything else in the meantime.
  // Errors (all functions): same as db::Connection. The constructor throws db::Busy if another
  // export for this site is running.
  Export(db::Connection& connection, ExportRequest request);

  // Appends the next piece to "out". Returns false if there are no more pieces.
  [[nodiscard]] bool next(std::string& out);

  [[nodiscard]] std::uint64_t rows() const { return rows_; }  // the number of rows written so far

 private:
  // Each function appends the next piece of its part to "out". It returns whether this part may
  // have more pieces.
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
