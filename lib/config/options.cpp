#include "config/options.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>

#include "base/address.h"
#include "base/text.h"
#include "base/zone.h"
#include "config/database.h"

namespace config {
namespace {

// Rejects control characters in the database name, because messages and SQL statements contain the
// name.
const std::string& database_name(const GivenOption& given) {
  if (given.value.empty() || base::printable(given.value) != given.value) {
    refuse(given, "a name without control characters");
  }
  return given.value;
}

template <typename Part>
bool contains(std::string_view text, Part part) {
  return text.find(part) != std::string_view::npos;
}

bool is_socket(std::string_view path) {
  return path.starts_with('/') && base::consists_of_letters_digits_and(path, "/._-+@");
}

// Hosts and sockets must not contain shell metacharacters, because operators may copy suggested
// commands that contain hosts and sockets into a shell.
DatabaseServer db_server(std::string_view text, const GivenOption& given) {
  const auto parsed = parse_db_host(text);
  if (!parsed || parsed->port > 65535 || parsed->host.starts_with('-') ||
      !base::consists_of_letters_digits_and(parsed->host, ".-_:%") ||
      !(parsed->socket.empty() || is_socket(parsed->socket))) {
    refuse(given,
           "host, host:port (1 to 65535) or localhost:/socket, in letters, digits and . - _");
  }
  return server_of_php(*parsed);
}

// Only ratingd's own db-host option accepts several servers. WordPress's DB_HOST names only one
// server.
std::vector<DatabaseServer> db_servers(const GivenOption& given) {
  const auto parts =
      given.is_of_cms ? std::vector<std::string_view>{given.value} : parts_of(given.value);
  if (parts.size() > kMaxDatabaseServers) {
    refuse(given, "at most " + std::to_string(kMaxDatabaseServers) + " hosts");
  }
  std::vector<DatabaseServer> servers;
  for (const std::string_view part : parts) {
    if (part.empty() && parts.size() > 1) refuse(given, "a list without gaps");
    const DatabaseServer server = db_server(part, given);
    if (std::ranges::find(servers, server) != servers.end()) refuse(given, "different hosts");
    servers.push_back(server);
  }
  return servers;
}

void set_db_host(Config& config, const GivenOption& given) {
  const std::vector<DatabaseServer> servers = db_servers(given);
  config.database.server = servers.front();
  config.database.others.assign(servers.begin() + 1, servers.end());
}

void set_db_port(Config& config, const GivenOption& given) {
  if (!config.database.others.empty()) {
    throw Error(
        given.where +
        " is for a single server. With several servers, write each port into db-host, such as a:" +
        given.value + ",b:" + given.value);
  }
  config.database.server.port = number(given, 1, 65535);
}

void set_db_socket(Config& config, const GivenOption& given) {
  if (!is_socket(given.value)) {
    refuse(given, "an absolute path of letters, digits and / . _ - + @");
  }
  config.database.server.host.clear();
  config.database.server.socket = given.value;
  config.database.others.clear();
}

// Interprets the MYSQL_CLIENT_FLAGS constant from wp-config.php in the same way as PHP
// (mysqlnd_auth.c, mysqlnd_switch_to_ssl_if_needed).
std::optional<DatabaseTls> tls_of_client_flags(const GivenOption& given) {
  constexpr unsigned kSsl = 2048;
  constexpr unsigned kSslDontVerify = 64;
  if (given.value.empty()) return std::nullopt;  // false in PHP
  const unsigned flags = number(given, 0, std::numeric_limits<unsigned>::max());
  if ((flags & kSslDontVerify) != 0) return DatabaseTls::required;
  if ((flags & kSsl) != 0) return DatabaseTls::verify;
  return std::nullopt;
}

void set_db_tls(Config& config, const GivenOption& given) {
  // The names of the TLS modes, in the order of the enumerators in DatabaseTls.
  constexpr auto kModes =
      std::to_array<std::string_view>({"off", "preferred", "required", "verify"});
  const auto* const mode = std::ranges::find(kModes, given.value);
  if (given.is_of_cms) {
    config.database.tls = tls_of_client_flags(given);
  } else if (mode != kModes.end()) {
    config.database.tls = static_cast<DatabaseTls>(mode - kModes.begin());
  } else {
    refuse(given, "off, preferred, required or verify");
  }
}

void set_db_tls_ca(Config& config, const GivenOption& given) {
  if (!given.value.starts_with('/')) refuse(given, "an absolute path");
  config.database.tls_ca = given.value;
}

void set_table_prefix(Config& config, const GivenOption& given) {
  const std::string& prefix = given.value;
  if (prefix.empty() || prefix.size() > 32 || !base::consists_of_letters_digits_and(prefix, "_")) {
    refuse(given, "1 to 32 letters, digits and underscores");
  }
  config.base_prefix = prefix;
  config.logins.users_table = prefix + "users";
  config.logins.usermeta_table = prefix + "usermeta";
}

void set_base_path(Config& config, const GivenOption& given) {
  const std::string& path = given.value;
  if (!is_base_path(path)) {
    refuse(given, "a path like /wp-json/ratingd/v1, without a slash at its end");
  }
  config.base_path = path;
}

// Returns whether "text" is an address such as 127.0.0.1:9000 or [::1]:9000.
bool is_ip_and_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  const bool is_bracketed = host.starts_with('[') && host.ends_with(']');
  if (is_bracketed) host = host.substr(1, host.size() - 2);
  const auto port = base::parse_number<unsigned>(text.substr(colon + 1));
  return is_bracketed == contains(host, ':') && !base::Address::parse(host).bytes.empty() && port &&
         *port >= 1 && *port <= 65535;
}

void set_listen(Config& config, const GivenOption& given) {
  if (!is_socket(given.value) && !is_ip_and_port(given.value)) {
    refuse(given,
           "the absolute path of a socket, or an IP address and a port: 10.0.0.5:9000, "
           "[fd00::5]:9000");
  }
  config.listen = given.value;
}

void set_listen_mode(Config& config, const GivenOption& given) {
  const std::string& text = given.value;
  if (text.size() != 4 || !text.starts_with('0') ||
      text.find_first_not_of("01234567") != std::string::npos) {
    refuse(given, "four octal digits from 0000 to 0777, such as 0660");
  }
  config.listen_mode = static_cast<unsigned>(std::stoul(text, nullptr, 8));
}

void set_runtime_dir(Config& config, const GivenOption& given) {
  const std::filesystem::path path = given.value;
  if (!path.is_absolute() || !path.has_filename()) {
    refuse(given, "an absolute path without a slash at its end");
  }
  config.runtime_dir = path;
}

void set_cms(Config& config, const GivenOption& given) {
  const auto cms = cms_named(given.value);
  if (!cms) refuse(given, "wordpress or none");
  config.cms = *cms;
}

void set_time_zone(Config& config, const GivenOption& given) {
  if (!base::Zone::named(given.value)) {
    refuse(given, "a time zone like Europe/Berlin, UTC or +05:30");
  }
  config.standalone.time_zone = given.value;
}

void set_access_log(Config& config, const GivenOption& given) {
  if (given.value != "on" && given.value != "off") refuse(given, "on or off");
  config.access_log = given.value == "on";
}

void set_metrics_networks(Config& config, const GivenOption& given) {
  config.metrics_networks.clear();
  for (std::string_view rest = given.value; !rest.empty();) {
    const auto network = base::Network::parse(base::trim(base::take_until(rest, ',')));
    if (!network) {
      refuse(given,
             "addresses or networks separated by commas, for example 192.0.2.7,2001:db8::/32");
    }
    config.metrics_networks.push_back(*network);
  }
}

void set_log_level(Config& config, const GivenOption& given) {
  const auto level = runtime::log_level_named(given.value);
  if (!level) refuse(given, "debug, info, warning or error");
  config.log_level = *level;
}

// The db-port and db-socket options override db-host, so they come after db-host in this list.
constexpr auto kCommonOptions = std::to_array<Option>({
    {"config", "PATH", "Configuration file with lines \"name = value\". Default: none.", nullptr},
    {"wp-config", "PATH",
     "The site's wp-config.php, which sets the database, the table prefix and the keys. It is read "
     "as text and never executed. Default: none.",
     nullptr},
    {"cms", "NAME",
     "The CMS that knows the users and the posts: wordpress, or none for a site whose visitors "
     "only come with tickets. Default: wordpress.",
     set_cms},
    {"db-host", "HOST",
     "Database server of the CMS, in the form of WordPress's DB_HOST: a name, an address, "
     "host:port, or localhost:/path/of/socket. localhost means the Unix socket, with any port. Up "
     "to 4 servers may be given, separated by commas. The first server that accepts writes is "
     "used. When it stops accepting writes, another server is used (docs/several-hosts.md). "
     "Default: localhost.",
     set_db_host, "DB_HOST", true},
    {"db-port", "NUMBER",
     "TCP port of the database server, 1 to 65535. Not allowed with several servers. Default: the "
     "port in db-host, or else 3306.",
     set_db_port},
    {"db-socket", "PATH",
     "Unix socket of the database server. Overrides db-host. Default, if db-host is localhost: "
     "/run/mysqld/mysqld.sock.",
     set_db_socket},
    {"db-tls", "MODE",
     "Encryption of database sessions: off, preferred (TLS if the server offers it), required, or "
     "verify. The mode verify also checks the server's certificate and host name. A server that "
     "requests the password in clear text gets it only with verify. Default: off for a Unix socket "
     "or a "
     "loopback address, else preferred. In wp-config.php, MYSQL_CLIENT_FLAGS sets required "
     "(MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT) or verify (MYSQLI_CLIENT_SSL).",
     set_db_tls, "MYSQL_CLIENT_FLAGS"},
    {"db-tls-ca", "PATH",
     "PEM file with the certificate authorities that verify accepts. Default: "
     "/etc/ssl/certs/ca-certificates.crt.",
     set_db_tls_ca},
    {"db-name", "NAME", "Database of the CMS. Required.",
     [](Config& config, const GivenOption& s) { config.database.name = database_name(s); },
     "DB_NAME", true},
    {"db-user", "NAME",
     "Database account that reads the CMS's tables and writes ratings. Required.",
     [](Config& config, const GivenOption& s) { config.database.user = not_empty(s); }, "DB_USER",
     true},
    {"db-password-file", "PATH", "File with the password of the database account. Default: none.",
     nullptr},
    {.name = "db-password",
     .argument = "TEXT",
     .meaning = "The password of the database account. Default: empty.",
     .apply = [](Config& config, const GivenOption& s) { config.database.password = s.value; },
     .constant = "DB_PASSWORD",
     .needed = true,
     .secret = true},
    {"table-prefix", "TEXT",
     "Prefix of the tables of the CMS and of ratingd: 1 to 32 letters, digits and underscores. "
     "Default: wp_.",
     set_table_prefix, "$table_prefix", true},
    {"base-path", "PATH", "Base path of the API. Default: /wp-json/ratingd/v1.", set_base_path},
    {"secret-file", "PATH",
     "File with the keys of cookies, device tokens and tickets, which \"ratingctl init-secret\" "
     "creates. Default: /etc/ratingd/secret.",
     [](Config& config, const GivenOption& s) { config.secret_file = not_empty(s); }},
    {"runtime-dir", "PATH",
     "Directory for the memory that the workers of a host share. It must be on a file system in "
     "memory, and only the workers may use it (mode 0700). It is created if it is missing. "
     "Default: /run/ratingd/shared.",
     set_runtime_dir},
    {"listen", "ADDRESS",
     "Where to listen, instead of on file descriptor 0: the path of a Unix socket, or an IP "
     "address and a port of a private network. Every client that can connect is trusted like the "
     "web server, including the visitors' addresses that it sends. Default: none.",
     set_listen},
    {"listen-mode", "MODE", "Mode of that Unix socket, in octal digits. Default: 0600.",
     set_listen_mode},
    {"processes", "NUMBER",
     "Number of worker processes that status and alerts expect on this host, 1 to 256. Default: 2.",
     [](Config& config, const GivenOption& s) { config.processes = number(s, 1, 256); }},
    {"threads", "NUMBER",
     "Number of threads, 1 to 1024. A thread serves a request that waits for the database, for a "
     "password's hash or for a slow client. Votes and cached totals need no thread. Default: 64.",
     [](Config& config, const GivenOption& s) { config.threads = number(s, 1, 1024); }},
    {"db-sessions", "NUMBER",
     "Number of database sessions of this process, 3 to 64. One session writes, one refreshes "
     "settings, and the others read. Up to 4 more sessions, or 9 with all-sites, are opened "
     "for analytics, checks and sites. Default: 4.",
     [](Config& config, const GivenOption& s) { config.db_sessions = number(s, 3, 64); }},
    {"batch-limit", "NUMBER",
     "Maximum number of votes in one commit, 1 to 256. Lower values are only useful for "
     "comparisons. Default: 256.",
     [](Config& config, const GivenOption& s) { config.batch_limit = number(s, 1, 256); }},
    {"cache-seconds", "NUMBER",
     "Maximum number of seconds, 0 to 3600, until votes from other hosts and changes by ratingctl "
     "are visible. Votes from this host are visible immediately. Totals and voters' own ratings "
     "are cached for this time, and for up to a minute while no other host and no command changes "
     "them. Default: 2.",
     [](Config& config, const GivenOption& s) { config.cache_seconds = number(s, 0, 3600); }},
    {"cache-memory", "NUMBER",
     "Size of the shared memory for totals and voters' own ratings, 1 to 1024 MiB. It must be the "
     "same for all workers of a host. Default: 32, for 71,000 objects and 71,000 voters.",
     [](Config& config, const GivenOption& s) {
       config.cache_memory = number(s, 1, kMaxCacheMemory);
     }},
    {"log-level", "LEVEL",
     "Lowest level that is logged: debug, info, warning or error. Default: info.", set_log_level},
    {"access-log", "on|off",
     "Log one line of level info for each request, without client address and query string. "
     "Default: off.",
     set_access_log},
    {"metrics-networks", "LIST",
     "Addresses or networks that may read /metrics and all of /health, in addition to this host "
     "and administrators. Separate them with commas, for example 192.0.2.7,2001:db8::/32. Default: "
     "none.",
     set_metrics_networks},
});

// Options that describe a site without a CMS.
constexpr auto kStandaloneOptions = std::to_array<Option>({
    {"site-address", "URL",
     "Address of the site. Required with cms = none, and not allowed otherwise.",
     [](Config& config, const GivenOption& s) { config.standalone.address = address(s); }},
    {"time-zone", "NAME",
     "With cms = none: time zone in which days are counted, such as Europe/Berlin or +05:30. "
     "Default: UTC.",
     set_time_zone},
    {"week-start", "NUMBER",
     "With cms = none: first day of the week, from 0 (Sunday) to 6 (Saturday). Default: 1.",
     [](Config& config, const GivenOption& s) { config.standalone.week_start = number(s, 0, 6); }},
});

std::vector<Option> all_options() {
  std::vector<Option> all(kCommonOptions.begin(), kCommonOptions.end());
  const auto add = [&](std::span<const Option> options, CmsName cms) {
    for (Option option : options) {
      option.cms = cms;
      all.push_back(option);
    }
  };
  add(kStandaloneOptions, CmsName::none);
  add(wordpress_options(), CmsName::wordpress);
  return all;
}

}  // namespace

std::span<const Option> options() {
  static const std::vector<Option> kAll = all_options();
  return kAll;
}

bool is_base_path(std::string_view path) {
  return path.starts_with('/') && !path.ends_with('/') && !contains(path, "//") &&
         !contains(path, "/.") && base::consists_of_letters_digits_and(path, "/-._~");
}

const Option* find_option(std::string_view name) {
  const auto found =
      std::ranges::find_if(options(), [&](const Option& option) { return name == option.name; });
  return found == options().end() ? nullptr : &*found;
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
  const auto nearest = std::ranges::min_element(options(), {}, away);
  return away(*nearest) <= 2 ? nearest->name : "";
}

}  // namespace config
