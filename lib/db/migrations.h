#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "db/connection.h"

namespace db {

// A numbered SQL file in sql/migrations that changes the schema. A migration is never edited after
// its release.
struct Migration {
  int version;
  std::string_view name;  // "0001_initial"
  std::string_view sql;   // statements; the last line of each statement ends with ";"
};

// Returns all migrations in this program, in the order of their versions.
[[nodiscard]] std::span<const Migration> migrations();

// Returns the statements in an SQL file, without comment lines. Each statement must end with ";" at
// the end of a line. Throws Failure if the last statement does not end with ";".
[[nodiscard]] std::vector<std::string> statements_of(std::string_view sql);

// Returns the names of all tables in the schema at "version". The default is the newest version.
// The result includes the tables for applied migrations and for leases (db/lease.h), which are
// created before the first migration.
[[nodiscard]] std::vector<std::string> table_names(const std::string& table_prefix, int version);
[[nodiscard]] std::vector<std::string> table_names(const std::string& table_prefix);

// Returns the names of the views that the migrations create for the CMS.
[[nodiscard]] std::vector<std::string> view_names(const std::string& table_prefix);

// Returns the names of the views that are missing, cannot be read, or have been replaced by tables,
// as in some copies of a database. The session's account must have privileges on the views. Can
// throw the same exceptions as the Connection class.
[[nodiscard]] std::vector<std::string> damaged_views(Connection& connection);

// Returns the version of the newest migration in this program.
[[nodiscard]] int newest_version();

// Returns the schema version of the database, or 0 if there are no tables. Can throw the same
// exceptions as the Connection class.
[[nodiscard]] int schema_version(Connection& connection);

// Returns whether migrate() would change the tables or the views. Can throw the same exceptions as
// the Connection class.
[[nodiscard]] bool needs_migration(Connection& connection);

// Returns the time at which the newest migration was applied. The tables must exist. Can throw the
// same exceptions as the Connection class.
[[nodiscard]] base::Time migrated_at(Connection& connection);

// Returns whether "version" is this program's own schema version or the next version. Migrations
// only add to tables, so old workers can continue to run until an upgrade replaces them.
[[nodiscard]] bool can_run_on(int version);

// Returns advice for an operator whose tables have the schema version "version". "version" must not
// be the newest version.
[[nodiscard]] base::Message advice_for(int version);

// Executes a migration statement. Does nothing if the statement adds a column or an index that
// already exists. Can throw the same exceptions as the Connection class.
void execute_repeatably(Connection& connection, const std::string& statement);

// Applies missing migrations in order. Concurrent calls wait for each other (db/lease.h). Calls
// "applied" after each migration. Restarts an interrupted migration from the beginning, which is
// safe because all migration statements can be repeated. Then creates the views that
// damaged_views() returns, and returns their names. A table with the name of a view is dropped. Can
// throw the same exceptions as the Connection class. Throws Busy if another call holds the lease
// for too long.
std::vector<std::string> migrate(Connection& connection,
                                 const std::function<void(const Migration&)>& applied);

// Creates missing tables and damaged views. The new tables contain only the rows inserted by the
// migrations. If an existing table lacks rows that a migration inserts, adds the rows. Does nothing
// if all tables, rows and views exist. The tables must have the newest version. Can throw the same
// exceptions as migrate().
void restore_missing_tables(Connection& connection);

}  // namespace db
