#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "db/connection.h"
#include "store/privileges.h"

namespace checks {

// Database checks of "ratingctl doctor". Errors of all functions: as db::Connection.

// The lines of SHOW GRANTS for the session's account and its active roles.
[[nodiscard]] std::vector<std::string> shown_grants(db::Connection& connection);

// Returns whether the server ignores the case of names of schemas and tables
// (lower_case_table_names). Such a server may have changed the case of a name.
[[nodiscard]] bool compares_names_in_any_case(db::Connection& connection);

// Whether the session has "right" on a table of its own database. Only runs EXPLAIN of such a
// statement. REQUIRES: SELECT, INSERT, UPDATE or DELETE; INSERT and UPDATE also need SELECT.
[[nodiscard]] bool has_right(db::Connection& connection, const store::Right& right);

// The tables among "tables" whose engine is not InnoDB, as far as the account can see them.
[[nodiscard]] std::vector<std::string> tables_without_innodb(
    db::Connection& connection, const std::vector<std::string>& tables);

// The tables of ratingd that the session cannot read: tables that are missing or damaged, or on
// which the account has no rights. Runs one statement if all can be read. REQUIRES: the tables have
// a version that this program supports.
[[nodiscard]] std::vector<std::string> unreadable_tables(db::Connection& connection);

[[nodiscard]] base::Time server_time(db::Connection& connection);

// The variable innodb_flush_log_at_trx_commit: 1 if a commit is durable before it is answered.
[[nodiscard]] std::int64_t flush_policy(db::Connection& connection);

// The folder of the server's data, on its own host.
[[nodiscard]] std::string data_folder(db::Connection& connection);

// The encryption of the session: "TLSv1.3 (TLS_AES_256_GCM_SHA384)"; empty without encryption.
[[nodiscard]] std::string session_cipher(db::Connection& connection);

// A table or view of ratingd in the database.
struct OwnTable {
  std::string name;
  bool is_view = false;
};

// All tables and views that the migrations of this program create, and the temporary tables of a
// rebuild.
[[nodiscard]] std::vector<OwnTable> own_tables(db::Connection& connection);

// Reads the whole table.
[[nodiscard]] std::int64_t count_rows_of(db::Connection& connection, const OwnTable& table);

// Drops the tables and views permanently. Waits for transactions that use them. An interrupted
// removal can be repeated with the remaining ones.
void remove(db::Connection& connection, const std::vector<OwnTable>& tables);

}  // namespace checks
