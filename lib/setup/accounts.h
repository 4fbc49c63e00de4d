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

// A site's two database accounts. A statement that creates an account takes no parameters, so the
// server itself quotes the password (QUOTE) and executes the statement.

struct Accounts {
  store::GrantNames names;
  std::string workers_password;
  std::string ratingctl_password;

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> all() const {
    return {{names.workers, workers_password}, {names.ratingctl, ratingctl_password}};
  }
};

// The maximum time that setup waits for a statement.
inline constexpr std::chrono::seconds kWaitOfSetup{30};

// Returns the names of the site's accounts and tables. The accounts are for sessions from "host".
[[nodiscard]] store::GrantNames account_names(const Site& site, const config::Config& config,
                                              const std::string& host);

// Returns the host part for new accounts. This is the name that the server uses for this host in a
// session.
[[nodiscard]] std::string host_of(db::Connection& session);

// Returns the host part of the existing accounts. If "user" can log in with "password", this is the
// host of the account that the server selects. Otherwise, this is "localhost", or any host ("%") if
// the database is on another host.
[[nodiscard]] std::string host_of_accounts(const config::Config& config, const std::string& user,
                                           const std::string& password);

// Returns both accounts as an SQL list.
[[nodiscard]] std::string in_sql(const store::GrantNames& names);

// Returns a random password that satisfies MySQL's validate_password and MariaDB's
// simple_password_check.
[[nodiscard]] std::string new_password();

// Logs in as the server's root through its Unix socket and returns the session. The login needs no
// password if the process runs as root (MariaDB: unix_socket, MySQL: auth_socket). Returns nullptr
// if the server has no socket on this host, refuses the login or does not answer. In this case,
// "reason" is set to the cause. The session is not written to the server's general log. Errors:
// Error if "wp_config" names a socket that may not belong to the server.
[[nodiscard]] std::unique_ptr<db::Connection> connect_as_root(
    const config::Config& config, const std::filesystem::path& wp_config, std::string& reason);

// Returns the reason why a Unix socket may not belong to the database server, or an empty string if
// it does. The server's system account must differ from the web server's account and from the owner
// of "wp_config". Only the server's account and root may be able to replace the socket or a folder
// above it. A socket is not trusted either if no process listens at it.
[[nodiscard]] std::string why_not_trusted(const std::filesystem::path& socket,
                                          const std::filesystem::path& wp_config);

// Opens a session for an account. Errors: db::Failure.
[[nodiscard]] std::unique_ptr<db::Connection> connect(const config::Config& config,
                                                      const std::string& account,
                                                      const std::string& password);

// Returns an example command with which a database administrator executes an SQL file.
[[nodiscard]] std::string administrator_command(const config::Config& config,
                                                const std::filesystem::path& file);

// Returns whether an account can open a session with this password. Errors: db::Failure if the
// server does not answer.
[[nodiscard]] bool can_connect(const config::Config& config, const std::string& account,
                               const std::string& password);

// Returns whether the session sees this table. "table" is the name without the prefix. Reads
// nothing from the table, because the site's owner may have replaced the table with a view.
[[nodiscard]] bool has_table(db::Connection& session, const store::GrantNames& names,
                             const std::string& table);

// Returns whether the account exists. REQUIRES: "root" is a session as root.
[[nodiscard]] bool account_exists(db::Connection& root, const std::string& account);

// If the database does not exist, creates it. Undo drops the database, unless it contains tables.
// Here and below, "root" must outlive the step.
[[nodiscard]] Step create_database(db::Connection& root, const std::string& name);

// Creates the accounts. Undo drops them.
[[nodiscard]] Step create_accounts(db::Connection& root, const Accounts& accounts);

// Drops the accounts that exist. Undo creates the accounts again with these passwords and
// privileges.
[[nodiscard]] Step drop_accounts(db::Connection& root, const Accounts& accounts);

// Grants the accounts the privileges in sql/grants.sql. Undo does not revoke the privileges,
// because the accounts need them unless the accounts are dropped.
[[nodiscard]] Step grant_rights(db::Connection& root, const Accounts& accounts);

// Returns whether both accounts have these privileges, as far as their own sessions show.
[[nodiscard]] bool have_rights(const config::Config& config, const Accounts& accounts);

// Returns the SQL for all these steps, for the administrator of a server on which setup cannot be
// root. "more" contains additional statements, for example proof_sql().
[[nodiscard]] std::string accounts_sql(const Accounts& accounts, const std::string& more);

// Returns the statement that creates a database.
[[nodiscard]] std::string database_sql(const std::string& name);

}  // namespace setup
