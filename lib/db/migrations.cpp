#include "db/migrations.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <sstream>

#include "base/text.h"
#include "db/bulk_statement.h"
#include "db/lease.h"

namespace db {
namespace {

constexpr std::chrono::seconds kMaxWait{30};
constexpr const char* kBusy = "Another migration is under way.";
constexpr int kDuplicateColumn = 1060;
constexpr int kDuplicateIndex = 1061;

std::string without_comments(std::string_view sql) {
  std::istringstream lines{std::string(sql)};
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (!base::trim(line).starts_with("--")) text += line + "\n";
  }
  return text;
}

// Returns the names that follow the string "words" (for example, "CREATE TABLE {prefix}") in "sql".
// The names include the table prefix.
std::vector<std::string> names_in(std::string_view sql, std::string_view words,
                                  const std::string& table_prefix) {
  std::vector<std::string> names;
  for (std::size_t at = sql.find(words); at != std::string_view::npos; at = sql.find(words)) {
    sql.remove_prefix(at + words.size());
    names.push_back(table_prefix + std::string(sql.substr(0, sql.find_first_of(" ("))));
  }
  return names;
}

// Like names_in(), but for the migrations up to "version".
std::vector<std::string> names_behind(std::string_view words, const std::string& table_prefix,
                                      int version = newest_version()) {
  std::vector<std::string> names;
  for (const Migration& migration : migrations()) {
    if (migration.version > version) break;
    std::ranges::move(names_in(migration.sql, words, table_prefix), std::back_inserter(names));
  }
  return names;
}

void execute_all(Connection& connection, Lease& lease, const Migration& migration) {
  for (const std::string& statement : statements_of(migration.sql)) {
    lease.confirm();
    execute_repeatably(connection, statement);
  }
}

constexpr std::string_view kBehindView = " VIEW {prefix}";

// Returns the type in information_schema, such as "VIEW", or an empty string if there is neither a
// table nor a view of this name.
std::string type_of(Connection& connection, const std::string& name) {
  return connection
      .query(
          "SELECT table_type FROM information_schema.tables WHERE table_schema = DATABASE()"
          " AND table_name = ?",
          name)
      .first(text_in)
      .value_or("");
}

bool is_readable(Connection& connection, const std::string& view) {
  try {
    static_cast<void>(connection.query("SELECT 1 FROM " + view + " LIMIT 1"));
    return true;
  } catch (const ConnectionLost&) {
    throw;
  } catch (const Failure&) {
    return false;
  }
}

// Drops the tables that have the name of a view, because a migration cannot replace them. A copy of
// a database may contain a view as a table.
void drop_tables_named_as_views(Connection& connection) {
  for (const std::string& view : view_names(connection.table_prefix())) {
    if (type_of(connection, view) == "BASE TABLE") connection.execute("DROP TABLE " + view);
  }
}

// Creates the views that damaged_views() returns, and returns their names.
std::vector<std::string> restore_views(Connection& connection) {
  std::vector<std::string> damaged = damaged_views(connection);
  for (const Migration& migration : migrations()) {
    for (const std::string& statement : statements_of(migration.sql)) {
      const std::vector<std::string> created =
          names_in(statement, kBehindView, connection.table_prefix());
      const bool is_wanted = std::ranges::find_first_of(created, damaged) != created.end();
      if (is_wanted) connection.execute(statement);
    }
  }
  return damaged;
}

bool are_complete(Connection& connection) {
  const std::vector<std::string> names = table_names(connection.table_prefix());
  Statement& found = connection.prepare(
      "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()"
      " AND table_name IN " +
      marks(names.size()));
  for (const std::string& name : names) found.bind(name);
  return found.query().number() == std::ssize(names) &&
         connection.query("SELECT 1 FROM {prefix}ratingd_writers WHERE writer = 0").next() &&
         damaged_views(connection).empty();
}

}  // namespace

// Ignores "already exists" errors for columns and indexes, because MySQL does not support ADD
// COLUMN IF NOT EXISTS.
void execute_repeatably(Connection& connection, const std::string& statement) {
  try {
    connection.execute(statement);
  } catch (const Failure& failure) {
    if (failure.code() != kDuplicateColumn && failure.code() != kDuplicateIndex) throw;
  }
}

std::vector<std::string> statements_of(std::string_view sql) {
  constexpr std::string_view kEnd = ";\n";
  const std::string text = without_comments(sql);
  std::string_view rest = text;
  std::vector<std::string> statements;
  for (std::size_t end = rest.find(kEnd); end != std::string_view::npos; end = rest.find(kEnd)) {
    statements.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + kEnd.size());
  }
  if (rest.find_first_not_of(" \n") != std::string_view::npos) {
    throw Failure(0, "an SQL file does not end with \";\" at a line's end");
  }
  return statements;
}

std::vector<std::string> table_names(const std::string& table_prefix, int version) {
  auto names = names_behind("CREATE TABLE IF NOT EXISTS {prefix}", table_prefix, version);
  names.insert(names.begin(), {table_prefix + "ratingd_schema", table_prefix + "ratingd_leases"});
  return names;
}

std::vector<std::string> table_names(const std::string& table_prefix) {
  return table_names(table_prefix, newest_version());
}

std::vector<std::string> view_names(const std::string& table_prefix) {
  return names_behind(kBehindView, table_prefix);
}

std::vector<std::string> damaged_views(Connection& connection) {
  std::vector<std::string> views = view_names(connection.table_prefix());
  std::erase_if(views, [&](const std::string& view) {
    return type_of(connection, view) == "VIEW" && is_readable(connection, view);
  });
  return views;
}

int newest_version() { return migrations().back().version; }

int schema_version(Connection& connection) {
  Rows table = connection.query(
      "SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND "
      "table_name = ?",
      connection.table_prefix() + "ratingd_schema");
  if (!table.next()) return 0;
  return static_cast<int>(
      connection.query("SELECT COALESCE(MAX(version), 0) FROM {prefix}ratingd_schema").number());
}

bool needs_migration(Connection& connection) {
  const int version = schema_version(connection);
  return version < newest_version() ||
         (version == newest_version() && !damaged_views(connection).empty());
}

base::Time migrated_at(Connection& connection) {
  db::Rows row = connection.query("SELECT MAX(applied_at) FROM {prefix}ratingd_schema");
  return row.next() ? row.time(1) : base::Time();
}

bool can_run_on(int version) {
  return version == newest_version() || version == newest_version() + 1;
}

base::Message advice_for(int version) {
  const std::vector<base::MessageValue> values = {{"version", version},
                                                  {"needed", newest_version()}};
  if (version == 0) {
    return base::Message(
        "ratingd's tables do not exist. This program requires table version {needed}. Run "
        "ratingctl setup, or ratingctl migrate if you manage the database accounts yourself.",
        values);
  }
  if (version < newest_version()) {
    return base::Message(
        "The tables have version {version}, but this program requires version {needed}. Run "
        "ratingctl setup, or ratingctl migrate if you manage the database accounts yourself.",
        values);
  }
  return base::Message(
      "The tables have version {version}, but this program requires version {needed}. Install the "
      "newer version of ratingd.",
      values);
}

std::vector<std::string> migrate(Connection& connection,
                                 const std::function<void(const Migration&)>& applied) {
  Lease::create_table(connection);
  Lease lease(connection, "migration", kMaxWait, kBusy);
  connection.execute(
      "CREATE TABLE IF NOT EXISTS {prefix}ratingd_schema"
      " (version INT NOT NULL, applied_at DATETIME NOT NULL, PRIMARY KEY (version))"
      " ENGINE=InnoDB");
  const int present = schema_version(connection);
  if (present > newest_version()) return {};
  drop_tables_named_as_views(connection);
  for (const Migration& migration : migrations()) {
    if (migration.version <= present) continue;
    execute_all(connection, lease, migration);
    connection.execute(
        "INSERT INTO {prefix}ratingd_schema (version, applied_at) VALUES (?, UTC_TIMESTAMP())",
        std::int64_t{migration.version});
    applied(migration);
  }
  return restore_views(connection);
}

// Repeating the migrations is safe because all migration statements can be repeated.
void restore_missing_tables(Connection& connection) {
  if (are_complete(connection)) return;
  Lease::create_table(connection);
  Lease lease(connection, "migration", kMaxWait, kBusy);
  drop_tables_named_as_views(connection);
  for (const Migration& migration : migrations()) execute_all(connection, lease, migration);
}

}  // namespace db
