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

// The two database accounts of a site. Statements that make accounts take no parameters: the
// server itself quotes the password (QUOTE) and runs the statement.

struct Accounts {
  store::GrantNames names;
  std::string workers_password;
  std::string ratingctl_password;

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> all() const {
    return {{names.workers, workers_password}, {names.ratingctl, ratingctl_password}};
  }
};

// How long setup waits for one statement.
inline constexpr std::chrono::seconds kWaitOfSetup{30};

// The names of the site's accounts and tables. The accounts are for sessions from "host".
[[nodiscard]] store::GrantNames account_names(const Site& site, const config::Config& config,
                                              const std::string& host);

// The host of new accounts, as the server names this one in a session.
[[nodiscard]] std::string host_of(db::Connection& session);

// The host of the accounts that are there: that of one which this password opens. If none is, or
// the server does not answer: this host, or any ("%") if the database is on another one.
[[nodiscard]] std::string host_of_accounts(const config::Config& config, const std::string& user,
                                           const std::string& password);

// Both accounts as SQL has a list of them.
[[nodiscard]] std::string in_sql(const store::GrantNames& names);

// A password that the rules of MySQL's validate_password and MariaDB's simple_password_check
// accept, too.
[[nodiscard]] std::string new_password();

// A session as the server's root, through its Unix socket, which needs no password if root of the
// host asks (MariaDB: unix_socket, MySQL: auth_socket). nullptr: the server is not reached by a
// socket, refuses or does not answer; "reason" gets the cause. The server's general log does not
// get what the session does. Errors: Error - "wp_config" names a socket that may not be the
// server's.
[[nodiscard]] std::unique_ptr<db::Connection> connect_as_root(
    const config::Config& config, const std::filesystem::path& wp_config, std::string& reason);

// Why a Unix socket may not be the database server's; empty: it is. A server has an account of the
// system other than that of the web server and of the owner of "wp_config", and only this account
// and root can exchange the socket or a folder above it. A socket at which no process answers is
// not trusted either.
[[nodiscard]] std::string why_not_trusted(const std::filesystem::path& socket,
                                          const std::filesystem::path& wp_config);

// A session of an account. Errors: db::Failure.
[[nodiscard]] std::unique_ptr<db::Connection> connect(const config::Config& config,
                                                      const std::string& account,
                                                      const std::string& password);

// An example of a command by which an administrator of the database runs a file with SQL.
[[nodiscard]] std::string administrator_command(const config::Config& config,
                                                const std::filesystem::path& file);

// Whether an account can open a session with this password. Errors: db::Failure - the server is not
// there.
[[nodiscard]] bool can_connect(const config::Config& config, const std::string& account,
                               const std::string& password);

// Whether the session sees this table of the site, the name without the prefix. Nothing is read of
// it: it may have become a view of the site's owner.
[[nodiscard]] bool has_table(db::Connection& session, const store::GrantNames& names,
                             const std::string& table);

// Whether the account exists. REQUIRES: a session as root.
[[nodiscard]] bool account_exists(db::Connection& root, const std::string& account);

// Makes a database, unless it is there. Undone, it is dropped, unless it has tables. "root" must
// outlive the step, here and below.
[[nodiscard]] Step create_database(db::Connection& root, const std::string& name);

// Makes the accounts. Undone, they are dropped.
[[nodiscard]] Step create_accounts(db::Connection& root, const Accounts& accounts);

// Drops the accounts that exist. Undone, they are made again with these passwords and rights.
[[nodiscard]] Step drop_accounts(db::Connection& root, const Accounts& accounts);

// Grants the accounts the rights in sql/grants.sql. Undoing revokes nothing: the accounts need
// these rights in any case, unless they are dropped.
[[nodiscard]] Step grant_rights(db::Connection& root, const Accounts& accounts);

// Whether both accounts have these rights, as far as their own sessions show.
[[nodiscard]] bool have_rights(const config::Config& config, const Accounts& accounts);

// All of it as SQL, for the administrator of a server that setup cannot reach as root. "more":
// further statements, such as proof_sql().
[[nodiscard]] std::string accounts_sql(const Accounts& accounts, const std::string& more);

// The statement that makes a database.
[[nodiscard]] std::string database_sql(const std::string& name);

}  // namespace setup
