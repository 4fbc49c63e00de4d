#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/connection.h"
#include "db/server_lock.h"
#include "db/transaction.h"
#include "transfer/rating_scan.h"
#include "transfer/row.h"

namespace transfer {

// What an export is to hold.
struct ExportRequest {
  Format format = Format::ndjson;
  Scopes scopes;
  transfer::Selection selection;  // of ratings
};

// What "names" say: ratings, settings, templates. Nothing if there is none, or another one.
[[nodiscard]] std::optional<Scopes> parse_scopes(const std::vector<std::string>& names);
// What is exported if no scopes are named: everything, but of a selection only its ratings.
[[nodiscard]] Scopes default_scopes(const transfer::Selection& selection);

// DESIGN. A file in pieces, as big as a slice of rows, whatever there is to export. All slices read
// one consistent view of the database, that of the moment when this was made, so votes may arrive
// meanwhile; ratings come in the order of the primary key, so equal databases make equal files.
// The database keeps what is changed meanwhile for this view: so one export runs at a time, and
// whoever sends it to a client gives a slow one up.
//
// Addresses are not exported, nor what leads to a visitor's browser.
//
// Used by one thread.
class Export {
 public:
  // "connection" must outlive this, and serves nobody else meanwhile. Errors of all functions: as
  // db::Connection; here also db::Busy - another export of this site runs.
  Export(db::Connection& connection, const std::string& table_prefix, ExportRequest wish);

  // Appends the next piece to "out". False: there is none any more.
  [[nodiscard]] bool next(std::string& out);

  [[nodiscard]] std::uint64_t rows() const { return rows_; }  // until now

 private:
  enum class Part { begin, ratings, aggregates, settings, templates, end, nothing };

  bool write_ratings(std::string& out);
  bool write_aggregates(std::string& out);
  void write_settings(std::string& out);
  void write_templates(std::string& out);
  void write(const Row& row, std::string& out);

  db::Connection& connection_;
  const std::string table_prefix_;
  const ExportRequest wish_;
  const RowWriter writer_;
  const db::ServerLock lock_;
  const db::Transaction snapshot_;
  transfer::RatingScan ratings_;
  transfer::AggregateScan aggregates_;
  Part part_ = Part::begin;
  std::uint64_t rows_ = 0;
};

}  // namespace transfer
