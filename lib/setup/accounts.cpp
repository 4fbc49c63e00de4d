#include "setup/accounts.h"

#include <unistd.h>

#include <algorithm>

#include "adapters/adapters.h"
#include "base/address.h"
#include "base/crypto.h"
#include "base/text.h"
#include "checks/inspection.h"
#include "db/endpoint.h"
#include "db/migrations.h"

namespace setup {
namespace {

constexpr int kAccessDenied = 1045;
constexpr int kAccessDeniedNoPassword = 1698;  // MariaDB's error if unix_socket refuses the login

std::pair<std::string, std::string> user_and_host(const std::string& account) {
  const std::size_t at = account.rfind('@');
  return {account.substr(0, at), account.substr(at + 1)};
}

db::Endpoint endpoint_as(const config::Config& config, const std::string& user,
                         const std::string& password) {
  db::Endpoint endpoint = db::endpoint_of(config, kWaitOfSetup);
  endpoint.user = user;
  endpoint.password = password;
  return endpoint;
}

// Returns an endpoint without a default database, because the account may not have any privileges
// on the site's database yet.
db::Endpoint server_as(const config::Config& config, const std::string& user,
                       const std::string& password) {
  db::Endpoint endpoint = endpoint_as(config, user, password);
  endpoint.schema.clear();
  endpoint.table_prefix.clear();  // the statements contain names and passwords
  return endpoint;
}

bool is_loopback(const config::DatabaseServer& server) {
  return server.socket.empty() && base::Address::parse(server.host).is_loopback();
}

void require_trusted(const std::string& socket, const std::filesystem::path& wp_config) {
  const std::string why = why_not_trusted(socket, wp_config);
  if (why.empty()) return;
  throw Error("setup cannot verify that the socket " + socket +
              " in DB_HOST belongs to the database server: " + why +
              ".\nIf it does, write this line into the configuration of ratingd and ratingctl: "
              "db-socket = " +
              socket);
}

// Calls the SQL function "function", which returns an account as "user@host", and returns the host
// part.
std::string host_in(db::Connection& session, const std::string& function) {
  db::Rows row = session.query("SELECT " + function);
  std::string host = row.next() ? user_and_host(row.text(1)).second : "";
  const bool is_host =
      !host.empty() && base::consists_of_letters_digits_and(host, ".-:_%/") && host.front() != '-';
  if (!is_host)
    throw Error("the database server reported a host name with unexpected characters: " +
                base::printable(host));
  return host;
}

bool is_refused(const db::Failure& failure) {
  return failure.code() == kAccessDenied || failure.code() == kAccessDeniedNoPassword;
}

void create(db::Connection& root, const std::string& account, const std::string& password) {
  root.execute("SET @ratingd = CONCAT('CREATE USER " + store::quoted_account(account) +
                   " IDENTIFIED BY ', QUOTE(?))",
               password);
  root.execute("PREPARE ratingd_create FROM @ratingd");
  root.execute("EXECUTE ratingd_create");
  root.execute("DEALLOCATE PREPARE ratingd_create");
  root.execute("SET @ratingd = NULL");
}

void drop(db::Connection& root, const std::string& account) {
  root.execute("DROP USER IF EXISTS " + store::quoted_account(account));
}

void grant(db::Connection& root, const Accounts& accounts) {
  for (const std::string& statement : db::statements_of(store::grant_statements(accounts.names))) {
    root.execute(statement);
  }
}

std::string sql_text(const std::string& text) {
  return "'" + base::replace_all(base::replace_all(text, "\\", "\\\\"), "'", "''") + "'";
}

std::string joined(const Accounts& accounts) {
  return accounts.names.workers + " and " + accounts.names.ratingctl;
}

// Returns the SQL statements in sql/grants.sql without comments.
std::string grants_without_comments(const store::GrantNames& names) {
  std::string text;
  for (const std::string& statement : db::statements_of(store::grant_statements(names))) {
    text += statement + ";\n";
  }
  return text;
}

// Returns an SQL statement that lists the site's accounts with the host part "%". Accounts with the
// host part "%" were created by ratingd 0.2, and the site's other hosts may still use them. Returns
// an empty string if the current accounts also have the host part "%".
std::string show_accounts_of_any_host(const store::GrantNames& names) {
  if (user_and_host(names.workers).second == "%") return "";
  return "SELECT CONCAT('DROP USER `', user, '`@`%`;') AS `If no other host of the site uses it:`"
         " FROM mysql.user WHERE host = '%' AND user IN (" +
         sql_text(user_and_host(names.workers).first) + ", " +
         sql_text(user_and_host(names.ratingctl).first) + ");\n";
}

// Reads the account's privileges from SHOW GRANTS instead of testing them, because the tables may
// not exist yet.
bool has_all_of(db::Connection& session, std::vector<store::Privilege> needed) {
  std::vector<store::Privilege> privileges;
  const std::vector<std::string> shown = checks::shown_grants(session);
  for (const std::string& line : shown) {
    const auto grant = store::read_grant(line);
    if (grant && !grant->taken)
      std::ranges::copy(grant->privileges, std::back_inserter(privileges));
  }
  if (checks::compares_names_in_any_case(session)) {
    needed = store::in_lower_case(std::move(needed));
    privileges = store::in_lower_case(std::move(privileges));
  }
  return std::ranges::all_of(needed, [&](const store::Privilege& privilege) {
    return std::ranges::any_of(privileges,
                               [&](const auto& each) { return store::covers(each, privilege); });
  });
}

}  // namespace

store::GrantNames account_names(const Site& site, const config::Config& config,
                                const std::string& host) {
  return {.database = config.database.name,
          .table_prefix = config.table_prefix,
          .cms_grants = adapters::make_cms(config)->grants(),
          .workers = site.workers + "@" + host,
          .ratingctl = site.ratingctl + "@" + host};
}

std::string host_of(db::Connection& session) { return host_in(session, "USER()"); }

std::string host_of_accounts(const config::Config& config, const std::string& user,
                             const std::string& password) {
  try {
    db::Connection session(server_as(config, user, password));
    return host_in(session, "CURRENT_USER()");
  } catch (const db::Failure&) {
    const config::DatabaseServer& server = config.database.server;
    return !server.socket.empty() || is_loopback(server) ? "localhost" : "%";
  }
}

std::string in_sql(const store::GrantNames& names) {
  return store::quoted_account(names.workers) + ", " + store::quoted_account(names.ratingctl);
}

std::string new_password() { return base::to_hex(base::random_bytes(24)) + "-aA0"; }

std::unique_ptr<db::Connection> connect_as_root(const config::Config& config,
                                                const std::filesystem::path& wp_config,
                                                std::string& reason) {
  if (config.database.server.socket.empty() || !config.database.others.empty()) {
    reason =
        "setup cannot act as root of the database server because the database is not at a Unix "
        "socket of this host";
    return nullptr;
  }
  if (config.is_server_of_cms) require_trusted(config.database.server.socket, wp_config);
  try {
    auto root = std::make_unique<db::Connection>(server_as(config, "root", ""));
    // Turn off the general log, because it would contain the passwords in the CREATE USER
    // statements.
    root->execute("SET SESSION sql_log_off = 1");
    return root;
  } catch (const db::Failure& failure) {
    // The login fails if the root account is locked or has a different name. If the database server
    // is down, a later step of setup fails with an error message.
    reason =
        "root cannot use the database server without a password: " + std::string(failure.what());
    return nullptr;
  }
}

std::unique_ptr<db::Connection> connect(const config::Config& config, const std::string& account,
                                        const std::string& password) {
  return std::make_unique<db::Connection>(
      endpoint_as(config, user_and_host(account).first, password));
}

std::string administrator_command(const config::Config& config, const std::filesystem::path& file) {
  const config::DatabaseServer& server = config.database.server;
  const std::string command =
      "sudo cat " + base::shell_quoted(file.string()) + " | ";  // only root can read the file
  // Let the client use the socket, because root may not be allowed to log in over TCP.
  if (is_loopback(server)) return command + "sudo mariadb";
  // Do not suggest a command that logs in to a host named in wp-config.php: the owner of
  // wp-config.php could steal the administrator's password with a fake server.
  if (server.socket.empty() && config.is_server_of_cms) {
    return "wp-config.php names the server " + server.host + ", port " +
           std::to_string(server.port) + ". If that is your database server, run the file there.";
  }
  const std::string place = server.socket.empty() ? "-h " + base::shell_quoted(server.host) +
                                                        " -P " + std::to_string(server.port)
                                                  : "--socket=" + base::shell_quoted(server.socket);
  return command + "mariadb " + place + " -u root -p";
}

bool can_connect(const config::Config& config, const std::string& account,
                 const std::string& password) {
  if (password.empty()) return false;
  try {
    const db::Connection session(server_as(config, user_and_host(account).first, password));
    return true;
  } catch (const db::Failure& failure) {
    if (!is_refused(failure)) throw;
    return false;
  }
}

bool has_table(db::Connection& session, const store::GrantNames& names, const std::string& table) {
  return session
      .query(
          "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?"
          " AND table_type = 'BASE TABLE'",
          names.database, names.table_prefix + table)
      .next();
}

bool account_exists(db::Connection& root, const std::string& account) {
  const auto [user, host] = user_and_host(account);
  return root.query("SELECT 1 FROM mysql.user WHERE user = ? AND host = ?", user, host).next();
}

Step create_database(db::Connection& root, const std::string& name) {
  const auto has = [&root, name](const std::string& what) {
    return root.query("SELECT 1 FROM information_schema." + what, name).next();
  };
  if (has("schemata WHERE schema_name = ?")) return {};
  const auto is_made = std::make_shared<bool>(false);
  return {{"create the database " + name},
          [&root, name, is_made] {
            root.execute(database_sql(name));
            *is_made = true;
          },
          [&root, name, has, is_made] {
            if (!*is_made) return;
            if (has("tables WHERE table_schema = ?")) throw Error("there are tables in it");
            root.execute("DROP DATABASE " + store::quoted_name(name));
          }};
}

Step create_accounts(db::Connection& root, const Accounts& accounts) {
  const auto made = std::make_shared<std::vector<std::string>>();
  return {{"create the database accounts " + joined(accounts) + ", with random passwords"},
          [&root, accounts, made] {
            for (const auto& [account, password] : accounts.all()) {
              if (account_exists(root, account)) continue;
              create(root, account, password);
              made->push_back(account);
            }
          },
          [&root, made] {
            for (const std::string& account : *made) drop(root, account);
          }};
}

Step drop_accounts(db::Connection& root, const Accounts& accounts) {
  if (!account_exists(root, accounts.names.workers) &&
      !account_exists(root, accounts.names.ratingctl)) {
    return {};
  }
  return {{"drop the database accounts " + joined(accounts)},
          [&root, accounts] {
            drop(root, accounts.names.workers);
            drop(root, accounts.names.ratingctl);
          },
          [&root, accounts] {
            if (accounts.workers_password.empty() || accounts.ratingctl_password.empty()) {
              throw Error("their passwords are not known");
            }
            for (const auto& [account, password] : accounts.all()) {
              if (!account_exists(root, account)) create(root, account, password);
            }
            grant(root, accounts);
          }};
}

Step grant_privileges(db::Connection& root, const Accounts& accounts) {
  return {
      {"grant them what \"ratingctl grants\" prints, in the database " + accounts.names.database},
      [&root, accounts] { grant(root, accounts); },
      {}};
}

bool have_privileges(const config::Config& config, const Accounts& accounts) {
  try {
    for (const auto& [account, password] : accounts.all()) {
      const auto session = connect(config, account, password);
      if (!has_all_of(*session, store::privileges_of(accounts.names, account))) return false;
    }
    return true;
  } catch (const db::Failure&) {
    return false;  // the account has no access to the database
  }
}

std::string database_sql(const std::string& name) {
  return "CREATE DATABASE IF NOT EXISTS " + store::quoted_name(name) + " CHARACTER SET utf8mb4";
}

std::string accounts_sql(const Accounts& accounts, const std::string& more) {
  std::string text = "-- For the administrator of the database; it has passwords in it.\n";
  for (const auto& [account, password] : accounts.all()) {
    text += "CREATE USER IF NOT EXISTS " + store::quoted_account(account) + " IDENTIFIED BY " +
            sql_text(password) + ";\n";
  }
  return text + grants_without_comments(accounts.names) + more +
         show_accounts_of_any_host(accounts.names);
}

}  // namespace setup
