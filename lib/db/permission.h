#pragma once

#include <string>

#include "db/connection.h"

namespace db {

// Runs "statement", which yields rows, and says whether the account may: not when the server denies
// a right to the database, a table or a column, nor when the table is missing. Errors: as
// Connection.
[[nodiscard]] bool may_run(Connection& connection, const std::string& statement);

}  // namespace db
