#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "db/bulk_statement.h"

namespace db {

// Shapes of bulk statements. Their arguments are names and SQL of the program, never foreign text.

// "INSERT INTO table (columns) VALUES (?,...) ON DUPLICATE KEY UPDATE on_duplicate", with "count"
// columns.
[[nodiscard]] BulkStatement::Shape insert_or_update(const std::string& table,
                                                    const std::string& columns, std::size_t count,
                                                    const std::string& on_duplicate);

// "DELETE FROM table WHERE column IN (?,...)".
[[nodiscard]] BulkStatement::Shape delete_where_in(const std::string& table,
                                                   const std::string& column);

// "column = column + VALUES(column)", for insert_or_update().
[[nodiscard]] std::string added(std::string_view column);

}  // namespace db
