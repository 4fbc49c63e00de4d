#pragma once

#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/message.h"
#include "db/connection.h"

namespace imports {

// Thrown if the server can read only part of a plugin's table, or if the table lacks a column that
// the import reads. For each object, the import has stored either all votes or none.
struct DamagedTable : std::runtime_error {
  explicit DamagedTable(base::Message text)
      : std::runtime_error(text.text()), message(std::move(text)) {}

  base::Message message;  // tells the administrator the table and the cause
};

// Returns whether a failure indicates a damaged table. All failures indicate a damaged table,
// except a lost session, a full disk, a conflict with another transaction, and errors in the
// statement.
[[nodiscard]] bool is_of_table(const db::Failure& failure);

// Returns whether the statement names a column that does not exist.
[[nodiscard]] bool lacks_column(const db::Failure& failure);

// Returns the error for a failure for which lacks_column() returns true. "table" is the table's
// name without the prefix.
[[nodiscard]] DamagedTable table_without_column(const db::Connection& connection,
                                                std::string_view table, const db::Failure& failure);

// Returns the error for a table that the server can read only in part. To find the first damaged
// row, reads the rows in the order of the primary key "key". If "key" is empty, the error message
// does not name the damaged row. "table" is the table's name without the prefix. Can throw
// db::ConnectionLost and db::Conflict.
[[nodiscard]] DamagedTable damaged_table(db::Connection& connection, std::string_view table,
                                         std::string_view key, const db::Failure& failure);

}  // namespace imports
