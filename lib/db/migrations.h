#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"

namespace db {

// One numbered file of sql/migrations. Once released it is never edited.
struct Migration {
  int version;
  std::string_view name;  // "0001_initial"
  std::string_view sql;   // statements, each ending in ";" at a line's end; {prefix} to be replaced
};

// All migrations that this program knows, in order: versions 1, 2, 3 ...
[[nodiscard]] std::span<const Migration> migrations();

// The statements of an SQL file, each of which ends in ";" at a line's end; lines that are comments
// are left out. Throws Failure when the last one has no end.
[[nodiscard]] std::vector<std::string> statements_of(const std::string& sql);

// The names of all tables that the migrations make, and of the one that counts migrations.
[[nodiscard]] std::vector<std::string> table_names(const std::string& table_prefix);

// The names of the views that they make for the CMS.
[[nodiscard]] std::vector<std::string> view_names(const std::string& table_prefix);

// The version a database has to have for this program: the newest it knows.
[[nodiscard]] int newest_version();

// The version of the tables in the database; 0 when there are none.
// Errors: as Connection.
[[nodiscard]] int schema_version(Connection& connection, const std::string& table_prefix);

// Whether this program runs on tables of "version": its own, or one newer, since migrations only
// add. (An upgrade migrates first and then replaces the workers one by one.)
[[nodiscard]] bool can_run_on(int version);

// What the operator has to do about tables of "version"; for !can_run_on(version).
[[nodiscard]] std::string advice_for(int version);

// Applies what is missing, in order, under a lock, so that two runs at once do no harm. Calls
// "applied" after each. A migration that was interrupted is repeated: its statements bear that.
// Errors: as Connection; Conflict when another run holds the lock for long.
void migrate(Connection& connection, const std::string& table_prefix,
             const std::function<void(const Migration&)>& applied);

}  // namespace db
