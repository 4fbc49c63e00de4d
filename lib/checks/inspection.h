#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "db/connection.h"
#include "store/grants.h"

namespace checks {

// Database checks for "ratingctl doctor". All functions throw the same exceptions as
// db::Connection.

// Returns the lines of SHOW GRANTS for the session's account and its active roles.
[[nodiscard]] std::vector<std::string> shown_grants(db::Connection& connection);

// Returns whether the database server ignores case in schema and table names
// (lower_case_table_names). A server that ignores case may store the names in a different case.
[[nodiscard]] bool compares_names_in_any_case(db::Connection& connection);

// Returns whether the session has the privilege "right" on a table in its own database. Runs
// EXPLAIN for a statement that needs the privilege, without executing this statement. The privilege
// must be SELECT, INSERT, UPDATE or DELETE. For INSERT and UPDATE, the account must also have the
// SELECT privilege.
[[nodiscard]] bool has_privilege(db::Connection& connection, const store::Privilege& privilege);

// Returns the tables in "tables" that the account can see and whose engine is not InnoDB.
[[nodiscard]] std::vector<std::string> tables_without_innodb(
    db::Connection& connection, const std::vector<std::string>& tables);

// Returns ratingd's tables that the session cannot read. A table is unreadable if it is missing or
// damaged, or if the account has no privileges on it. If all tables can be read, executes only one
// statement. Call this function only if this program supports the version of the tables.
[[nodiscard]] std::vector<std::string> unreadable_tables(db::Connection& connection);

[[nodiscard]] base::Time server_time(db::Connection& connection);

// Returns the innodb_flush_log_at_trx_commit variable, which is 1 if each commit is durable.
[[nodiscard]] std::int64_t flush_policy(db::Connection& connection);

// Returns the path of the server's data folder on the server's host.
[[nodiscard]] std::string data_folder(db::Connection& connection);

// Returns the session's encryption, such as "TLSv1.3 (TLS_AES_256_GCM_SHA384)". Returns an empty
// string if the session is not encrypted.
[[nodiscard]] std::string session_cipher(db::Connection& connection);

// One of ratingd's tables or views in the database.
struct OwnTable {
  std::string name;
  bool is_view = false;
};

// Returns all tables and views that the migrations create, and the temporary tables of a rebuild.
[[nodiscard]] std::vector<OwnTable> own_tables(db::Connection& connection);

// Returns the number of rows in a table. Reads the whole table.
[[nodiscard]] std::int64_t count_rows_of(db::Connection& connection, const OwnTable& table);

// Drops the tables and views permanently. Waits for transactions that use the tables. If remove()
// was interrupted, call it again with the tables that still exist.
void remove(db::Connection& connection, const std::vector<OwnTable>& tables);

}  // namespace checks
