#include "store/inspection.h"

#include <algorithm>
#include <cassert>

#include "base/joined.h"

namespace store {
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

std::string columns_of(const Right& right) {
  return right.columns.empty() ? "*" : base::joined(right.columns);
}

// A statement that needs "right" and that EXPLAIN supports.
std::string statement_of(db::Connection& connection, const Right& right) {
  const std::string& table = right.table;
  if (right.privilege == "SELECT") return "SELECT " + columns_of(right) + " FROM " + table;
  if (right.privilege == "DELETE") return "DELETE FROM " + table;
  if (right.privilege == "INSERT") return "INSERT INTO " + table + " SELECT * FROM " + table;
  assert(right.privilege == "UPDATE");
  const std::string column = first_column(connection, table);
  return "UPDATE " + table + " SET " + column + " = " + column;
}

}  // namespace

std::vector<std::string> shown_grants(db::Connection& connection) {
  return connection.query("SHOW GRANTS").all(db::text_in);
}

bool has_right(db::Connection& connection, const Right& right) {
  if (right.privilege == "UPDATE" && first_column(connection, right.table).empty()) return false;
  return db::may_run(connection, "EXPLAIN " + statement_of(connection, right));
}

std::vector<std::string> tables_without_innodb(db::Connection& connection,
                                               const std::vector<std::string>& tables) {
  std::vector<std::string> found;
  db::Rows row = connection.query(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND engine "
      "<> 'InnoDB'");
  while (row.next()) {
    if (std::ranges::find(tables, row.text(1)) != tables.end()) found.push_back(row.text(1));
  }
  return found;
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

}  // namespace store
