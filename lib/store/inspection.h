#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "db/connection.h"
#include "store/privileges.h"

namespace store {

// What "ratingctl doctor" asks the database beside what the service asks. Errors of all functions:
// as db::Connection.

// The lines of SHOW GRANTS for the session's account and its active roles.
[[nodiscard]] std::vector<std::string> shown_grants(db::Connection& connection);

// Whether the session may do what "right" says to a table of its own database. Only explains such a
// statement, and runs none. REQUIRES: a SELECT, INSERT, UPDATE or DELETE; to insert and to update
// it has to be allowed to read.
[[nodiscard]] bool has_right(db::Connection& connection, const Right& right);

// Those of "tables" whose engine is not InnoDB, of those that the account may see.
[[nodiscard]] std::vector<std::string> tables_without_innodb(
    db::Connection& connection, const std::vector<std::string>& tables);

[[nodiscard]] base::Time server_time(db::Connection& connection);

// The variable innodb_flush_log_at_trx_commit: 1 if a commit is on disk when it is answered.
[[nodiscard]] std::int64_t flush_policy(db::Connection& connection);

// How the session is encrypted: "TLSv1.3 (TLS_AES_256_GCM_SHA384)"; empty if it is not.
[[nodiscard]] std::string session_cipher(db::Connection& connection);

}  // namespace store
