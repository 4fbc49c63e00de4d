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

// The two database accounts of a site. A CREATE USER statement accepts no parameters, so the
// database server itself quotes the passwords (QUOTE) and executes the statement.

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

// Returns the names of the site's database accounts and tables. The accounts allow sessions from
// "host".
[[nodiscard]] store::GrantNames account_names(const Site& site, const config::Config& config,
                                              const std::string& host);

// Returns the host part for new database accounts. The host part is the name by which the database
// server identifies this host in the session.
[[nodiscard]] std::string host_of(db::Connection& session);

// Returns the host part of the existing database accounts. If "user" can log in with "password",
// the server selects an account, and the function returns the host part of this account. If the
// login fails, returns "localhost" for a database on this host, and "%" (any host) for a database
// on a different host.
[[nodiscard]] std::string host_of_accounts(const config::Config& config, const std::string& user,
                                           const std::string& password);

// Returns both database accounts as an SQL list.
[[nodiscard]] std::string in_sql(const store::GrantNames& names);

// Returns a random password that satisfies the plugins validate_password (MySQL) and
// simple_password_check (MariaDB).
[[nodiscard]] std::string new_password();

// Logs in as the database user root through the server's Unix socket and returns the session. The
// login needs no password if the process runs as root (MariaDB: unix_socket, MySQL: auth_socket).
// If the server has no socket on this host, refuses the login or does not respond, returns nullptr
// and sets "reason" to the cause. The server does not write the session to its general log. Throws
// setup::Error if "wp_config" contains a socket that may not belong to the database server.
[[nodiscard]] std::unique_ptr<db::Connection> connect_as_root(
    const config::Config& config, const std::filesystem::path& wp_config, std::string& reason);

// Returns the reason why a Unix socket may not belong to the database server, or an empty string if
// the socket is trusted. The system account of the database server must differ from the web
// server's account and from the owner of "wp_config". Only root and the system account of the
// database server may be able to replace the socket or one of its parent folders. A socket is not
// trusted if no process listens on the socket.
[[nodiscard]] std::string why_not_trusted(const std::filesystem::path& socket,
                                          const std::filesystem::path& wp_config);

// Opens a session for a database account. Throws db::Failure.
[[nodiscard]] std::unique_ptr<db::Connection> connect(const config::Config& config,
                                                      const std::string& account,
                                                      const std::string& password);

// Returns an example command with which a database administrator executes an SQL file.
[[nodiscard]] std::string administrator_command(const config::Config& config,
                                                const std::filesystem::path& file);

// Returns whether a database account can open a session with "password". Throws db::Failure if the
// database server does not respond.
[[nodiscard]] bool can_connect(const config::Config& config, const std::string& account,
                               const std::string& password);

// Returns whether the session has access to a table. "table" is the table's name without the
// prefix. Reads no rows, because the site's owner may have replaced the table with a view.
[[nodiscard]] bool has_table(db::Connection& session, const store::GrantNames& names,
                             const std::string& table);

// Returns whether a database account exists. "root" must be a session of the user root.
[[nodiscard]] bool account_exists(db::Connection& root, const std::string& account);

// Creates the database if it does not exist. The undo function drops the database if it contains no
// tables. In all following functions, "root" must outlive the step.
[[nodiscard]] Step create_database(db::Connection& root, const std::string& name);

// Creates the database accounts. The undo function drops the accounts.
[[nodiscard]] Step create_accounts(db::Connection& root, const Accounts& accounts);

// Drops the database accounts that exist. The undo function creates the accounts again, with the
// passwords in "accounts" and the privileges in the file sql/grants.sql.
[[nodiscard]] Step drop_accounts(db::Connection& root, const Accounts& accounts);

// Grants the privileges in the file sql/grants.sql to the database accounts. The undo function does
// not revoke the privileges, because existing accounts need them.
[[nodiscard]] Step grant_rights(db::Connection& root, const Accounts& accounts);

// Returns whether both database accounts have the privileges in the file sql/grants.sql, according
// to their own sessions.
[[nodiscard]] bool have_rights(const config::Config& config, const Accounts& accounts);

// Returns the SQL that creates the database and the accounts, for the administrator of a database
// server on which setup cannot log in as root. "more" contains additional statements, for example
// from proof_sql().
[[nodiscard]] std::string accounts_sql(const Accounts& accounts, const std::string& more);

// Returns the statement that creates a database.
[[nodiscard]] std::string database_sql(const std::string& name);

}  // namespace setup
