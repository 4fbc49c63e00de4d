#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "db/connection.h"

namespace db {

// A numbered file in sql/migrations. It is never edited after its release.
struct Migration {
  int version;
  std::string_view name;  // "0001_initial"
  std::string_view sql;   // statements; the last line of each statement ends with ";"
};

// Returns all migrations in this program in order: versions 1, 2, 3 ...
[[nodiscard]] std::span<const Migration> migrations();

// Returns the statements in an SQL file, without comment lines. Each statement must end with ";" at
// the end of a line. Throws Failure if the last statement does not end with ";".
[[nodiscard]] std::vector<std::string> statements_of(std::string_view sql);

// Returns the names of all tables in the schema up to "version", or up to the newest version. The
// result includes the tables for applied migrations and for leases (db/lease.h), which exist before
// the first migration.
[[nodiscard]] std::vector<std::string> table_names(const std::string& table_prefix, int version);
[[nodiscard]] std::vector<std::string> table_names(const std::string& table_prefix);

// Returns the view names that the migrations create for the CMS.
[[nodiscard]] std::vector<std::string> view_names(const std::string& table_prefix);

// Returns the newest table version that this program knows. The program is made for this version.
[[nodiscard]] int newest_version();

// Returns the table version in the database, or 0 if there are no tables. Errors: same as
// Connection.
[[nodiscard]] int schema_version(Connection& connection);

// Returns the time at which the newest migration was applied. REQUIRES: the tables exist. Errors:
// same as Connection.
[[nodiscard]] base::Time migrated_at(Connection& connection);

// Returns whether this program can use tables with "version". It can use its own version and the
// next version, because migrations only add to the tables. (An upgrade first migrates the tables
// and then replaces the workers one by one.)
[[nodiscard]] bool can_run_on(int version);

// Returns instructions for the operator about tables with "version". REQUIRES: "version" is not the
// newest version.
[[nodiscard]] base::Message advice_for(int version);

// Executes a migration statement. Does nothing if the column or the index that the statement adds
// already exists. Errors: same as Connection.
void execute_repeatably(Connection& connection, const std::string& statement);

// Applies missing migrations in their order. Concurrent calls are safe because a lease ensures that
// they run one after the other. Calls "applied" after each migration. Repeats an interrupted
// migration from its beginning, which is safe because all migration statements can be repeated.
// Errors: same as Connection. Throws Busy if another call holds the lease for too long.
void migrate(Connection& connection, const std::function<void(const Migration&)>& applied);

// Creates the tables that are missing. They contain only the rows that the migrations insert. Also
// inserts such rows into existing tables if they are missing there. Does nothing if all tables and
// rows exist. REQUIRES: the tables have the newest version. Errors: same as migrate().
void restore_missing_tables(Connection& connection);

}  // namespace db
