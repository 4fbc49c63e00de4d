#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/connection.h"
#include "rollups/rollup.h"

namespace rollups {

// Reads a table in key order, with one SQL statement per page. A scan uses a constant amount of
// memory and does not require the database server to keep a snapshot. A new scan starts before the
// first row. The class is not thread-safe. Throws the same exceptions as db::Connection.
class TableScan {
 public:
  struct Table {
    std::string name;             // with the prefix, without an index hint
    std::vector<KeyColumn> key;   // the primary key columns
    std::string columns;          // the other columns to read
    std::string condition = "1";  // the condition that selects the rows to read
  };

  // "connection" must outlive the TableScan.
  TableScan(db::Connection& connection, const Table& table, std::int64_t rows_of_page);

  // Moves to the next row of the table. Returns false if there are no more rows.
  bool next();
  [[nodiscard]] bool is_at_end() const { return is_at_end_; }
  // Returns the current row, which contains the key columns, followed by the other columns. The
  // last call to next() must have returned true.
  [[nodiscard]] const db::Rows& row() const { return *rows_; }
  [[nodiscard]] const Key& key() const { return key_; }

 private:
  void read_page();

  db::Connection& connection_;
  const std::vector<KeyColumn> columns_;
  const std::int64_t rows_of_page_;
  const std::string read_;
  Key key_;
  std::optional<db::Rows> rows_;
  std::int64_t read_rows_ = 0;  // the number of rows read from the current page
  bool is_at_end_ = false;
};

// Returns the TableScan::Table argument for a scan that reads all columns of a rollup.
[[nodiscard]] TableScan::Table table_of(const Rollup& rollup);

}  // namespace rollups
