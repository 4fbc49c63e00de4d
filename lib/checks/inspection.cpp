#include "checks/inspection.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "base/text.h"
#include "db/migrations.h"

namespace checks {
namespace {

std::string first_column(db::Connection& connection, const std::string& table) {
  return connection
      .query(
          "SELECT column_name FROM information_schema.columns WHERE table_schema = "
          "DATABASE() AND table_name = ? ORDER BY ordinal_position LIMIT 1",
          table)
      .first(db::text_in)
      .value_or("");
}

std::string columns_of(const store::Privilege& privilege) {
  return privilege.columns.empty() ? "*" : base::joined(privilege.columns);
}

bool can_read(db::Connection& connection, const std::vector<std::string>& tables) {
  const auto read_a_row = [](const std::string& table) {
    return "(SELECT 1 FROM " + table + " LIMIT 1)";
  };
  try {
    static_cast<void>(connection.query(base::joined(tables, " UNION ALL ", read_a_row)));
    return true;
  } catch (const db::ConnectionLost&) {
    throw;
  } catch (const db::Failure&) {
    return false;
  }
}

// Returns a statement that needs the privilege "right" and that EXPLAIN supports. Returns nothing
// for an UPDATE if the account cannot see any of the table's columns, because an UPDATE statement
// must name a column.
std::optional<std::string> statement_of(db::Connection& connection,
                                        const store::Privilege& privilege) {
  const std::string& table = privilege.table;
  if (privilege.action == "SELECT") return "SELECT " + columns_of(privilege) + " FROM " + table;
  if (privilege.action == "DELETE") return "DELETE FROM " + table;
  if (privilege.action == "INSERT") return "INSERT INTO " + table + " SELECT * FROM " + table;
  assert(privilege.action == "UPDATE");
  const std::string column = first_column(connection, table);
  if (column.empty()) return std::nullopt;
  return "UPDATE " + table + " SET " + column + " = " + column;
}

// Returns whether "names" contains "name".
bool contains(const std::vector<std::string>& names, const std::string& name, bool in_any_case) {
  return std::ranges::any_of(names, [&](const std::string& one) {
    return in_any_case ? base::equals_ignoring_case(one, name) : one == name;
  });
}

}  // namespace

bool compares_names_in_any_case(db::Connection& connection) {
  return connection.query("SELECT @@global.lower_case_table_names").number() != 0;
}

std::vector<std::string> shown_grants(db::Connection& connection) {
  return connection.query("SHOW GRANTS").all(db::text_in);
}

bool has_privilege(db::Connection& connection, const store::Privilege& privilege) {
  const auto statement = statement_of(connection, privilege);
  return statement && db::may_run(connection, "EXPLAIN " + *statement);
}

// The database server opens each table whose name matches the LIKE pattern, so the pattern must not
// match the tables of other sites in the network.
std::vector<std::string> tables_without_innodb(db::Connection& connection,
                                               const std::vector<std::string>& tables) {
  const bool in_any_case = compares_names_in_any_case(connection);
  std::vector<std::string> found;
  db::Rows row = connection.query(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"
      " AND table_name LIKE ? AND engine <> 'InnoDB'",
      connection.table_prefix() + "ratingd%");
  while (row.next()) {
    if (contains(tables, row.text(1), in_any_case)) found.push_back(row.text(1));
  }
  return found;
}

std::vector<std::string> unreadable_tables(db::Connection& connection) {
  std::vector<std::string> tables = db::table_names(connection.table_prefix());
  if (can_read(connection, tables)) return {};
  std::erase_if(tables, [&](const std::string& table) { return can_read(connection, {table}); });
  return tables;
}

base::Time server_time(db::Connection& connection) {
  db::Rows row = connection.query("SELECT UTC_TIMESTAMP(6)");
  return row.next() ? row.time(1) : base::Time();
}

std::int64_t flush_policy(db::Connection& connection) {
  return connection.query("SELECT @@global.innodb_flush_log_at_trx_commit").number();
}

std::string data_folder(db::Connection& connection) {
  return connection.query("SELECT @@global.datadir").first(db::text_in).value_or("");
}

std::string session_cipher(db::Connection& connection) {
  db::Rows row =
      connection.query("SHOW SESSION STATUS WHERE Variable_name IN ('Ssl_cipher', 'Ssl_version')");
  std::string version;
  std::string cipher;
  while (row.next()) (row.text(1) == "Ssl_version" ? version : cipher) = row.text(2);
  return cipher.empty() ? "" : version + " (" + cipher + ")";
}

std::vector<OwnTable> own_tables(db::Connection& connection) {
  const std::string& prefix = connection.table_prefix();
  std::vector<std::string> tables = db::table_names(prefix);
  tables.push_back(prefix + "ratingd_swap");
  const std::vector<std::string> views = db::view_names(prefix);
  const bool in_any_case = compares_names_in_any_case(connection);
  std::vector<OwnTable> own;
  db::Rows row = connection.query(
      "SELECT table_name, table_type FROM information_schema.tables"
      " WHERE table_schema = DATABASE() ORDER BY table_name");
  while (row.next()) {
    const bool is_view = row.text(2) == "VIEW";
    if (contains(is_view ? views : tables, row.text(1), in_any_case))
      own.push_back({row.text(1), is_view});
  }
  return own;
}

std::int64_t count_rows_of(db::Connection& connection, const OwnTable& table) {
  return connection.query("SELECT COUNT(*) FROM " + table.name).number();
}

void remove(db::Connection& connection, const std::vector<OwnTable>& tables) {
  std::string names;
  for (const OwnTable& table : tables) {
    if (table.is_view) {
      connection.execute("DROP VIEW " + table.name);
    } else {
      names += (names.empty() ? "" : ", ") + table.name;
    }
  }
  // Drop all tables in one statement, so that no other session sees only some of the tables.
  if (!names.empty()) connection.execute("DROP TABLE " + names);
}

}  // namespace checks
