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

namespace transfer {

// The content of an export.
struct ExportRequest {
  Format format = Format::ndjson;
  Scopes scopes;
  Selection selection;  // of ratings
};

// The scopes with these names: ratings, settings, templates. Nothing if there is no name or an
// unknown one.
[[nodiscard]] std::optional<Scopes> parse_scopes(const std::vector<std::string>& names);
// The scopes if none are named: everything, or only ratings if there is a selection.
[[nodiscard]] Scopes default_scopes(const Selection& selection);

// DESIGN. Produces a file in pieces of one slice of rows, so memory does not depend on the size of
// the export. All slices read one snapshot, taken by the constructor, so votes may arrive
// meanwhile. Ratings are ordered by the primary key, so equal databases give equal files. The
// database keeps old versions of changed rows for the snapshot: so only one export runs at a time,
// and the sender of the file closes connections to slow clients.
//
// Addresses are not exported, nor anything that identifies a visitor's browser.
//
// Used by one thread.
class Export {
 public:
  // "connection" must outlive this and must not be used otherwise meanwhile. Errors of all
  // functions: as db::Connection; of the constructor also db::Busy - another export of this site
  // is running.
  Export(db::Connection& connection, ExportRequest request);

  // Appends the next piece to "out". False: there are no more.
  [[nodiscard]] bool next(std::string& out);

  [[nodiscard]] std::uint64_t rows() const { return rows_; }  // so far

 private:
  // Each appends the next piece of its part, and returns whether there may be more of it.
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
