#include "config/options.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/bytes.h"
#include "base/edit_distance.h"
#include "base/parse.h"
#include "config/db_host.h"

namespace config {
namespace {

[[noreturn]] void refuse(const Setting& setting, const std::string& allowed) {
  throw Error(setting.where + " must be " + allowed + ", not \"" + base::printable(setting.value) +
              "\"");
}

unsigned number(const Setting& setting, unsigned least, unsigned most) {
  const auto result = base::parse_number<unsigned>(setting.value);
  if (!result || *result < least || *result > most) {
    refuse(setting, "a number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return *result;
}

const std::string& not_empty(const Setting& setting) {
  if (setting.value.empty()) refuse(setting, "something");
  return setting.value;
}

// It is shown to operators and becomes part of statements.
const std::string& database_name(const Setting& setting) {
  if (setting.value.empty() || base::printable(setting.value) != setting.value) {
    refuse(setting, "a name without control characters");
  }
  return setting.value;
}

template <typename Part>
bool contains(std::string_view text, Part part) {
  return text.find(part) != std::string_view::npos;
}

DatabaseServer db_server(std::string_view text, const Setting& setting) {
  const auto parsed = parse_db_host(text);
  if (!parsed || parsed->port > 65535) {
    refuse(setting, "as WordPress's DB_HOST: host, host:port (1 to 65535) or localhost:/socket");
  }
  return server_of_php(*parsed);
}

// The items between separators, trimmed.
std::vector<std::string_view> parts_of(std::string_view list, char separator = ',') {
  std::vector<std::string_view> parts;
  while (list.find(separator) != std::string_view::npos) {
    parts.push_back(base::trim(base::take_until(list, separator)));
  }
  parts.push_back(base::trim(list));
  return parts;
}

// WordPress has no such lists.
std::vector<DatabaseServer> db_servers(const Setting& setting) {
  const auto parts =
      setting.is_of_cms ? std::vector<std::string_view>{setting.value} : parts_of(setting.value);
  if (parts.size() > kMaxDatabaseServers) {
    refuse(setting, "at most " + std::to_string(kMaxDatabaseServers) + " hosts");
  }
  std::vector<DatabaseServer> servers;
  for (const std::string_view part : parts) {
    if (part.empty() && parts.size() > 1) refuse(setting, "a list without gaps");
    const DatabaseServer server = db_server(part, setting);
    if (std::ranges::find(servers, server) != servers.end()) refuse(setting, "different hosts");
    servers.push_back(server);
  }
  return servers;
}

void set_db_host(Config& config, const Setting& setting) {
  const std::vector<DatabaseServer> servers = db_servers(setting);
  config.database.server = servers.front();
  config.database.others.assign(servers.begin() + 1, servers.end());
}

void set_db_port(Config& config, const Setting& setting) {
  if (!config.database.others.empty()) {
    throw Error(setting.where + " is for one host; of several, give each its own in db-host: a:" +
                setting.value + ",b:" + setting.value);
  }
  config.database.server.port = number(setting, 1, 65535);
}

void set_db_socket(Config& config, const Setting& setting) {
  if (!setting.value.starts_with('/')) refuse(setting, "an absolute path");
  config.database.server.host.clear();
  config.database.server.socket = setting.value;
  config.database.others.clear();
}

// WordPress's MYSQL_CLIENT_FLAGS, as interpreted by PHP (mysqlnd_auth.c,
// mysqlnd_switch_to_ssl_if_needed).
std::optional<DatabaseTls> tls_of_client_flags(const Setting& setting) {
  constexpr unsigned kSsl = 2048;
  constexpr unsigned kSslDontVerify = 64;
  if (setting.value.empty()) return std::nullopt;  // false
  const unsigned flags = number(setting, 0, std::numeric_limits<unsigned>::max());
  if ((flags & kSslDontVerify) != 0) return DatabaseTls::required;
  if ((flags & kSsl) != 0) return DatabaseTls::verify;
  return std::nullopt;
}

void set_db_tls(Config& config, const Setting& setting) {
  const std::string& value = setting.value;
  if (setting.is_of_cms) {
    config.database.tls = tls_of_client_flags(setting);
  } else if (value == "off") {
    config.database.tls = DatabaseTls::off;
  } else if (value == "preferred") {
    config.database.tls = DatabaseTls::preferred;
  } else if (value == "required") {
    config.database.tls = DatabaseTls::required;
  } else if (value == "verify") {
    config.database.tls = DatabaseTls::verify;
  } else {
    refuse(setting, "off, preferred, required or verify");
  }
}

void set_db_tls_ca(Config& config, const Setting& setting) {
  if (!setting.value.starts_with('/')) refuse(setting, "an absolute path");
  config.database.tls_ca = setting.value;
}

void set_table_prefix(Config& config, const Setting& setting) {
  const std::string& prefix = setting.value;
  if (prefix.empty() || prefix.size() > 32 || !base::consists_of_letters_digits_and(prefix, "_")) {
    refuse(setting, "1 to 32 letters, digits and underscores");
  }
  config.base_prefix = prefix;
  config.logins.users_table = prefix + "users";
  config.logins.usermeta_table = prefix + "usermeta";
}

template <std::string Logins::*table>
void set_table(Config& config, const Setting& setting) {
  if (setting.value.empty() || setting.value.size() > 64 ||
      !base::consists_of_letters_digits_and(setting.value, "_")) {
    refuse(setting, "1 to 64 letters, digits and underscores");
  }
  config.logins.*table = setting.value;
}

template <std::string Logins::*text>
void set_login(Config& config, const Setting& setting) {
  config.logins.*text = setting.value;
}

// Logins from wp-config.php are each followed by a line feed.
void set_super_admins(Config& config, const Setting& setting) {
  std::vector<std::string>& logins = config.network.super_admins.emplace();
  for (const std::string_view login : parts_of(setting.value, setting.is_of_cms ? '\n' : ',')) {
    if (!login.empty()) logins.emplace_back(login);
  }
}

// PHP converts true and false to "1" and "".
bool yes_or_no(const Setting& setting) {
  if (setting.value == "yes" || setting.value == "1") return true;
  if (setting.value != "no" && !setting.value.empty()) refuse(setting, "yes or no");
  return false;
}

void set_base_path(Config& config, const Setting& setting) {
  const std::string& path = setting.value;
  if (!is_base_path(path)) {
    refuse(setting, "a path like /wp-json/ratingd/v1, without a slash at its end");
  }
  config.base_path = path;
}

void set_runtime_dir(Config& config, const Setting& setting) {
  const std::filesystem::path path = setting.value;
  if (!path.is_absolute() || !path.has_filename()) {
    refuse(setting, "an absolute path without a slash at its end");
  }
  config.runtime_dir = path;
}

std::string address(const Setting& setting) {
  std::string url = setting.value;
  const std::string lower = base::to_lower(url);
  if (!url.empty() && !lower.starts_with("http://") && !lower.starts_with("https://")) {
    refuse(setting, "an address that begins with http:// or https://");
  }
  while (url.ends_with('/')) url.pop_back();  // as _config_wp_home does (functions.php)
  return url;
}

void set_access_log(Config& config, const Setting& setting) {
  if (setting.value != "on" && setting.value != "off") refuse(setting, "on or off");
  config.access_log = setting.value == "on";
}

void set_metrics_networks(Config& config, const Setting& setting) {
  config.metrics_networks.clear();
  for (std::string_view rest = setting.value; !rest.empty();) {
    const auto network = base::Network::parse(base::trim(base::take_until(rest, ',')));
    if (!network) {
      refuse(setting,
             "addresses or networks separated by commas, for example 192.0.2.7,2001:db8::/32");
    }
    config.metrics_networks.push_back(*network);
  }
}

void set_log_level(Config& config, const Setting& setting) {
  const auto level = base::log_level_named(setting.value);
  if (!level) refuse(setting, "debug, info, warning or error");
  config.log_level = *level;
}

template <std::string WordPressKeys::*key>
void set_key(Config& config, const Setting& setting) {
  config.keys.*key = setting.value;
}

template <std::string WordPressKeys::*key>
constexpr Option key_option(const char* name, const char* constant) {
  return {.name = name,
          .argument = "TEXT",
          .meaning = "the value of the constant in wp-config.php (default none)",
          .apply = set_key<key>,
          .constant = constant,
          .secret = true};
}

// A key that is not used for signing here: it only matters if another key equals it.
template <std::string WordPressKeys::*key>
constexpr Option other_key_option(const char* name, const char* constant) {
  Option option = key_option<key>(name, constant);
  option.only_compared = true;
  return option;
}

constexpr unsigned kMaxSites = 4'000'000'000;

// db-host precedes db-port and db-socket, which override it; table-prefix precedes wp-users-table
// and wp-usermeta-table.
constexpr auto kOptions = std::to_array<Option>({
    {"config", "PATH", "configuration file with lines \"name = value\" (default none)", nullptr},
    {"wp-config", "PATH",
     "the wp-config.php that sets database, table prefix and keys; it is parsed as text and not "
     "executed (default none)",
     nullptr},
    {"db-host", "HOST",
     "database server of the CMS, in the form of WordPress's DB_HOST: a name, an address, "
     "host:port, or localhost:/path/of/socket; localhost means the Unix socket, with any port "
     "(default localhost). Up to 4 servers, separated by commas: the first server that accepts "
     "writes is used, and another one when it stops accepting writes (docs/several-hosts.md)",
     set_db_host, "DB_HOST", true},
    {"db-port", "NUMBER",
     "TCP port of the database server, 1 to 65535 (default: that of db-host, else 3306); not with "
     "several hosts",
     set_db_port},
    {"db-socket", "PATH",
     "Unix socket of the database server; overrides db-host (default, if db-host is localhost: "
     "/run/mysqld/mysqld.sock)",
     set_db_socket},
    {"db-tls", "MODE",
     "encryption of database sessions: off; preferred (TLS if the server offers it); required; or "
     "verify, which also checks the server's certificate and host name. The password is sent in "
     "clear text only with verify or over a Unix socket (default: off for a Unix socket or a "
     "loopback address, else preferred; with MYSQL_CLIENT_FLAGS of wp-config.php: required for "
     "MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT, verify for MYSQLI_CLIENT_SSL)",
     set_db_tls, "MYSQL_CLIENT_FLAGS"},
    {"db-tls-ca", "PATH",
     "file in PEM format with the certificate authorities that verify accepts (default "
     "/etc/ssl/certs/ca-certificates.crt)",
     set_db_tls_ca},
    {"db-name", "NAME", "database of the CMS; required",
     [](Config& config, const Setting& s) { config.database.name = database_name(s); }, "DB_NAME",
     true},
    {"db-user", "NAME", "database account that reads the CMS's tables and writes ratings; required",
     [](Config& config, const Setting& s) { config.database.user = not_empty(s); }, "DB_USER",
     true},
    {"db-password-file", "PATH", "file with the database account's password (default none)",
     nullptr},
    {.name = "db-password",
     .argument = "TEXT",
     .meaning = "the database account's password (default empty)",
     .apply = [](Config& config, const Setting& s) { config.database.password = s.value; },
     .constant = "DB_PASSWORD",
     .needed = true,
     .secret = true},
    {"table-prefix", "TEXT",
     "prefix of the CMS's tables: 1 to 32 letters, digits and underscores (default wp_)",
     set_table_prefix, "$table_prefix", true},
    {"wp-home", "URL",
     "address of the site, if wp-config.php sets WP_HOME (default: the CMS's option home)",
     [](Config& config, const Setting& s) { config.home = address(s); }, "WP_HOME"},
    {"wp-siteurl", "URL",
     "address of WordPress, if wp-config.php sets WP_SITEURL (default: the CMS's option siteurl)",
     [](Config& config, const Setting& s) { config.siteurl = address(s); }, "WP_SITEURL"},
    {"wp-multisite", "yes|no", "whether the site is part of a WordPress network (default no)",
     [](Config& config, const Setting& s) { config.network.exists = yes_or_no(s); }, "MULTISITE"},
    {"wp-network-id", "NUMBER",
     "number of the WordPress network, if there are several: SITE_ID_CURRENT_SITE (default 1)",
     [](Config& config, const Setting& s) { config.network.id = number(s, 1, kMaxSites); },
     "SITE_ID_CURRENT_SITE"},
    {"blog-id", "NUMBER", "number of the site in the WordPress network (default 1)",
     [](Config& config, const Setting& s) { config.network.blog_id = number(s, 1, kMaxSites); }},
    {"wp-super-admins", "LIST",
     "login names of the WordPress network's super administrators, separated by commas, if "
     "wp-config.php sets $super_admins (default: those that the network's rows name)",
     set_super_admins, "$super_admins"},
    {"wp-users-table", "NAME",
     "table of users, if wp-config.php sets CUSTOM_USER_TABLE (default: prefix and users)",
     set_table<&Logins::users_table>, "CUSTOM_USER_TABLE"},
    {"wp-usermeta-table", "NAME",
     "table of user metadata, if wp-config.php sets CUSTOM_USER_META_TABLE (default: prefix and "
     "usermeta)",
     set_table<&Logins::usermeta_table>, "CUSTOM_USER_META_TABLE"},
    {"wp-logged-in-cookie", "NAME",
     "name of the login cookie, if wp-config.php sets LOGGED_IN_COOKIE (default: "
     "wordpress_logged_in_ and the cookie hash)",
     set_login<&Logins::cookie_name>, "LOGGED_IN_COOKIE"},
    {"wp-cookiehash", "TEXT",
     "hash in cookie names, if wp-config.php sets COOKIEHASH (default: the MD5 of the address)",
     set_login<&Logins::cookie_hash>, "COOKIEHASH"},
    {"wp-environment-type", "TYPE",
     "environment type, if wp-config.php sets WP_ENVIRONMENT_TYPE; with local, passwords do not "
     "require HTTPS (default production)",
     set_login<&Logins::environment_type>, "WP_ENVIRONMENT_TYPE"},
    {"allow-app-passwords", "yes|no",
     "accept application passwords by HTTP Basic authentication; set to no if a plugin forbids "
     "them in WordPress, which ratingd cannot detect (default yes)",
     [](Config& config, const Setting& s) { config.logins.app_passwords = yes_or_no(s); }},
    {"allow-account-passwords", "yes|no",
     "also accept account passwords by HTTP Basic authentication; WordPress itself does not accept "
     "them (default no)",
     [](Config& config, const Setting& s) { config.logins.account_passwords = yes_or_no(s); }},
    {"allow-basic-over-http", "yes|no",
     "accept HTTP Basic authentication without HTTPS: anybody on the network path can read the "
     "passwords (default no)",
     [](Config& config, const Setting& s) { config.logins.basic_over_http = yes_or_no(s); }},
    {"base-path", "PATH", "base path of the API (default /wp-json/ratingd/v1)", set_base_path},
    {"secret-file", "PATH",
     "file with the keys of cookies and device tokens, created by \"ratingctl init-secret\" "
     "(default /etc/ratingd/secret)",
     [](Config& config, const Setting& s) { config.secret_file = not_empty(s); }},
    {"runtime-dir", "PATH",
     "directory for the memory that the workers of a host share, on a file system in memory; only "
     "the workers may use it (mode 0700); created if it is missing (default /run/ratingd/shared)",
     set_runtime_dir},
    {"processes", "NUMBER",
     "number of worker processes expected on this host, for status and alerts: 1 to 256 (default "
     "2)",
     [](Config& config, const Setting& s) { config.processes = number(s, 1, 256); }},
    {"threads", "NUMBER",
     "number of requests that may wait at the same time for the database, a password's hash or a "
     "slow client, each in a thread; votes and cached totals need no such thread: 1 to 1024 "
     "(default 64)",
     [](Config& config, const Setting& s) { config.threads = number(s, 1, 1024); }},
    {"db-sessions", "NUMBER",
     "number of database sessions of this process: one writes, one refreshes settings, the others "
     "read; one more is opened for analytics: 3 to 64 (default 4)",
     [](Config& config, const Setting& s) { config.db_sessions = number(s, 3, 64); }},
    {"batch-limit", "NUMBER",
     "maximum number of votes in one commit: 1 to 256 (default 256); lower values are only useful "
     "for comparisons",
     [](Config& config, const Setting& s) { config.batch_limit = number(s, 1, 256); }},
    {"cache-seconds", "NUMBER",
     "number of seconds for which the totals of an object and the ratings of a voter may be "
     "answered "
     "from memory: 0 to 3600 (default 2); votes of this host show at once, those of other hosts "
     "and of ratingctl within "
     "this time",
     [](Config& config, const Setting& s) { config.cache_seconds = number(s, 0, 3600); }},
    {"cache-memory", "NUMBER",
     "size of the shared memory for totals and voters' own ratings in MiB, the same for all "
     "workers "
     "of a host: 1 to 1024 (default 32, for 71,000 objects and 71,000 voters)",
     [](Config& config, const Setting& s) { config.cache_memory = number(s, 1, kMaxCacheMemory); }},
    {"log-level", "LEVEL",
     "lowest level that is logged: debug, info, warning, error (default info)", set_log_level},
    {"access-log", "on|off",
     "log one line of level info for each request, without client address and query string "
     "(default off)",
     set_access_log},
    {"metrics-networks", "LIST",
     "addresses or networks that may read /metrics and all of /health, in addition to this host "
     "and administrators, separated by commas, for example 192.0.2.7,2001:db8::/32 (default none)",
     set_metrics_networks},
    other_key_option<&WordPressKeys::auth_key>("wp-auth-key", "AUTH_KEY"),
    other_key_option<&WordPressKeys::auth_salt>("wp-auth-salt", "AUTH_SALT"),
    other_key_option<&WordPressKeys::secure_auth_key>("wp-secure-auth-key", "SECURE_AUTH_KEY"),
    other_key_option<&WordPressKeys::secure_auth_salt>("wp-secure-auth-salt", "SECURE_AUTH_SALT"),
    key_option<&WordPressKeys::logged_in_key>("wp-logged-in-key", "LOGGED_IN_KEY"),
    key_option<&WordPressKeys::logged_in_salt>("wp-logged-in-salt", "LOGGED_IN_SALT"),
    key_option<&WordPressKeys::nonce_key>("wp-nonce-key", "NONCE_KEY"),
    key_option<&WordPressKeys::nonce_salt>("wp-nonce-salt", "NONCE_SALT"),
    key_option<&WordPressKeys::secret_key>("wp-secret-key", "SECRET_KEY"),
    key_option<&WordPressKeys::secret_salt>("wp-secret-salt", "SECRET_SALT"),
});

}  // namespace

std::span<const Option> options() { return kOptions; }

bool is_base_path(std::string_view path) {
  return path.starts_with('/') && !path.ends_with('/') && !contains(path, "//") &&
         !contains(path, "/.") && base::consists_of_letters_digits_and(path, "/-._~");
}

const Option* find_option(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kOptions, [&](const Option& option) { return name == option.name; });
  return found == kOptions.end() ? nullptr : found;
}

std::string variable_of(std::string_view name) {
  std::string variable = "RATINGD_";
  for (const char c : name) {
    variable += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  return variable;
}

std::string ways_to_give(const Option& option) {
  const std::string name = option.name;
  if (name == "db-password") return "--db-password-file or RATINGD_DB_PASSWORD";
  return (option.secret ? "" : "--" + name + " or ") + variable_of(name);
}

std::string similar_option(std::string_view name) {
  const auto away = [&](const Option& option) { return base::edit_distance(name, option.name); };
  const auto* const nearest = std::ranges::min_element(kOptions, {}, away);
  return away(*nearest) <= 2 ? nearest->name : "";
}

}  // namespace config
