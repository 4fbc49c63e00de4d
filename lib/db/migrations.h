#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "db/connection.h"

namespace db {

// One numbered file of sql/migrations. Once released it is never edited.
struct Migration {
  int version;
  std::string_view name;  // "0001_initial"
  std::string_view sql;   // statements, each ending in ";" at a line's end
};

// All migrations of this program, in order: versions 1, 2, 3 ...
[[nodiscard]] std::span<const Migration> migrations();

// The statements of an SQL file. Each ends in ";" at the end of a line; comment lines are dropped.
// Throws Failure if the last statement has no end.
[[nodiscard]] std::vector<std::string> statements_of(std::string_view sql);

// The names of all tables that the migrations up to "version" create, and of the tables of applied
// migrations and of leases (db/lease.h), which are created before.
[[nodiscard]] std::vector<std::string> table_names(const std::string& table_prefix, int version);
[[nodiscard]] std::vector<std::string> table_names(const std::string& table_prefix);

// The names of the views that the migrations create for the CMS.
[[nodiscard]] std::vector<std::string> view_names(const std::string& table_prefix);

// The newest version that this program knows; the one it needs.
[[nodiscard]] int newest_version();

// The version of the tables in the database; 0 if there are none. Errors: as Connection.
[[nodiscard]] int schema_version(Connection& connection);

// When the newest migration was applied. REQUIRES: there are tables. Errors: as Connection.
[[nodiscard]] base::Time migrated_at(Connection& connection);

// Whether this program runs on tables of "version": its own, or one newer, since migrations only
// add. (An upgrade migrates first and then replaces the workers one by one.)
[[nodiscard]] bool can_run_on(int version);

// Instructions for the operator about tables of "version". REQUIRES: another than the newest.
[[nodiscard]] base::Message advice_for(int version);

// Executes a statement of a migration. It may have been executed before: a column or an index that
// it adds is then there already. Errors: as Connection.
void execute_repeatably(Connection& connection, const std::string& statement);

// Applies missing migrations in order, under a lock, so concurrent runs are safe. Calls "applied"
// after each migration. An interrupted migration is repeated: all its statements are safe to
// repeat. Errors: as Connection; Conflict if another run holds the lock too long.
void migrate(Connection& connection, const std::function<void(const Migration&)>& applied);

// Creates the tables that are lost, empty, and the rows that the migrations insert. Does nothing if
// no table and no such row is missing. REQUIRES: the tables have the newest version. Errors: as
// migrate().
void restore_missing_tables(Connection& connection);

}  // namespace db
