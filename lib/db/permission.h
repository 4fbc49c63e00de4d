#pragma once

#include <string>

#include "db/connection.h"

namespace db {

// Runs "statement", which returns rows, and reports whether the account has the privileges: false
// if the server denies access to the database, a table or a column, or if the table does not exist.
// Errors: as Connection.
[[nodiscard]] bool may_run(Connection& connection, const std::string& statement);

}  // namespace db
