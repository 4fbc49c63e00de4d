#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "db/connection.h"
#include "setup/site.h"
#include "setup/step.h"
#include "store/grants.h"

namespace setup {

// The names and passwords of a site's two database accounts. CREATE USER does not accept
// parameters, so the database server itself quotes the passwords with QUOTE() and executes the
// resulting statement.

struct Accounts {
  store::GrantNames names;
  std::string workers_password;
  std::string ratingctl_password;

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> all() const {
    return {{names.workers, workers_password}, {names.ratingctl, ratingctl_password}};
  }
};

// The maximum time that setup waits for an SQL statement.
inline constexpr std::chrono::seconds kWaitOfSetup{30};

// Returns the names of the site's tables and of its two database accounts. The accounts can be used
// only from "host".
[[nodiscard]] store::GrantNames account_names(const Site& site, const config::Config& config,
                                              const std::string& host);

// Returns the host part for new database accounts, as in "user@host". The host part is the
// session's client host, as seen by the database server.
[[nodiscard]] std::string host_of(db::Connection& session);

// Returns the host part of the database accounts that already exist. If "user" can log in with
// "password", returns the host part of the account used for the login (CURRENT_USER() in SQL). If
// the login fails, returns "localhost" for a database on this host, and "%" (any host) for a
// database on a different host.
[[nodiscard]] std::string host_of_accounts(const config::Config& config, const std::string& user,
                                           const std::string& password);

// Returns both database accounts as a comma-separated list for SQL statements.
[[nodiscard]] std::string in_sql(const store::GrantNames& names);

// Returns a random password that satisfies the validate_password (MySQL) and simple_password_check
// (MariaDB) plugins.
[[nodiscard]] std::string new_password();

// Logs in as the database user root through the server's Unix socket and returns the session. The
// login does not require a password if the process runs as root (MariaDB: unix_socket, MySQL:
// auth_socket). If the server has no socket on this host, rejects the login or does not respond,
// returns nullptr and stores the cause in "reason". The database server does not write this
// session's statements to its general log. Throws setup::Error if setup cannot verify that the
// socket in "wp_config" belongs to the database server.
[[nodiscard]] std::unique_ptr<db::Connection> connect_as_root(
    const config::Config& config, const std::filesystem::path& wp_config, std::string& reason);

// Returns the reason why setup cannot verify that a Unix socket belongs to the database server, or
// an empty string if the socket is trusted. The system account that runs the database server must
// be neither the web server's account nor the owner of "wp_config". Only root and the database
// server's system account may have permission to replace the socket or its parent folders. A
// process must listen on the socket.
[[nodiscard]] std::string why_not_trusted(const std::filesystem::path& socket,
                                          const std::filesystem::path& wp_config);

// Opens a session as the database account "account". Throws db::Failure.
[[nodiscard]] std::unique_ptr<db::Connection> connect(const config::Config& config,
                                                      const std::string& account,
                                                      const std::string& password);

// Returns an example command that a database administrator can use to execute an SQL file.
[[nodiscard]] std::string administrator_command(const config::Config& config,
                                                const std::filesystem::path& file);

// Returns whether the database account "account" can log in with "password". Throws db::Failure if
// the database server does not respond.
[[nodiscard]] bool can_connect(const config::Config& config, const std::string& account,
                               const std::string& password);

// Returns whether the session has access to a table. "table" is the table's name without the
// prefix. If the site's owner has replaced the table with a view, returns false without reading the
// view.
[[nodiscard]] bool has_table(db::Connection& session, const store::GrantNames& names,
                             const std::string& table);

// Returns whether a database account exists. "root" must be a session of the database user root.
[[nodiscard]] bool account_exists(db::Connection& root, const std::string& account);

// Creates the database if it does not exist. If the step is undone, the database is dropped, unless
// it contains tables. In this function and the following functions, "root" must outlive the
// returned step.
[[nodiscard]] Step create_database(db::Connection& root, const std::string& name);

// Creates both database accounts. If the step is undone, the accounts are dropped.
[[nodiscard]] Step create_accounts(db::Connection& root, const Accounts& accounts);

// Drops both database accounts if they exist. If the step is undone, the accounts are created
// again, with the passwords in "accounts" and the privileges in sql/grants.sql.
[[nodiscard]] Step drop_accounts(db::Connection& root, const Accounts& accounts);

// Grants both database accounts the privileges listed in sql/grants.sql. If the step is undone, the
// privileges are not revoked, because existing accounts need them.
[[nodiscard]] Step grant_privileges(db::Connection& root, const Accounts& accounts);

// Logs in with each of the two database accounts, and returns whether both have the privileges
// listed in sql/grants.sql.
[[nodiscard]] bool have_privileges(const config::Config& config, const Accounts& accounts);

// Returns SQL that creates the database and the accounts. A database administrator runs the SQL if
// setup cannot log in as root. The SQL also contains the statements in "more", for example the
// result of proof_sql().
[[nodiscard]] std::string accounts_sql(const Accounts& accounts, const std::string& more);

// Returns the statement that creates a database.
[[nodiscard]] std::string database_sql(const std::string& name);

}  // namespace setup
