#pragma once

#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/message.h"
#include "db/connection.h"

namespace imports {

// Thrown if the server can read only part of a plugin's table. For each object, the import has
// stored either all votes or none.
struct DamagedTable : std::runtime_error {
  explicit DamagedTable(base::Message text)
      : std::runtime_error(text.text()), message(std::move(text)) {}

  base::Message message;  // tells the administrator the table, the first damaged row and what to do
};

// Returns whether a failure indicates a damaged table. All failures indicate a damaged table,
// except a lost session and a conflict with another transaction.
[[nodiscard]] bool is_of_table(const db::Failure& failure);

// Returns the error for a table that the server can read only in part. To find the first damaged
// row, reads the rows in the order of the primary key "key". If "key" is empty, the error message
// does not name the damaged row. "table" is the table's name without the prefix. Can throw
// db::ConnectionLost and db::Conflict.
[[nodiscard]] DamagedTable damaged_table(db::Connection& connection, std::string_view table,
                                         std::string_view key, const db::Failure& failure);

}  // namespace imports
