#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/log.h"
#include "config/database_server.h"

namespace config {

// The CMS's database.
struct Database {
  DatabaseServer server;
  std::vector<DatabaseServer> others;  // further servers, in the order in which they are tried
  std::string name;
  std::string user;
  std::string password;                                       // never logged
  std::optional<DatabaseTls> tls;                             // nothing: by the address, tls_of()
  std::string tls_ca = "/etc/ssl/certs/ca-certificates.crt";  // trusted certificate authorities
};

// WordPress's keys for cookies; empty if neither an option nor wp-config.php sets a value.
struct WordPressKeys {
  std::string auth_key, secure_auth_key, logged_in_key, nonce_key, secret_key;
  std::string auth_salt, secure_auth_salt, logged_in_salt, nonce_salt, secret_salt;
};

// The network of sites that the site is part of (WordPress: multisite).
struct Network {
  bool exists = false;
  unsigned id = 1;       // SITE_ID_CURRENT_SITE: that of its rows in sitemeta
  unsigned blog_id = 1;  // of the site that is served
  // $super_admins: the logins of those who may do everything; nothing: the network's rows say it
  std::optional<std::vector<std::string>> super_admins;
};

// WordPress's user tables and login methods.
struct Logins {
  std::string users_table = "wp_users";        // CUSTOM_USER_TABLE
  std::string usermeta_table = "wp_usermeta";  // CUSTOM_USER_META_TABLE
  std::string cookie_name;                     // LOGGED_IN_COOKIE; empty: WordPress's default
  std::string cookie_hash;                     // COOKIEHASH; empty: WordPress's default
  std::string environment_type;                // WP_ENVIRONMENT_TYPE
  bool app_passwords = true;                   // off if a plugin disables them in WordPress
  bool account_passwords = false;
  bool tickets = true;  // of WordPress's own programs
  bool basic_over_http = false;
};

// The adapters (lib/cms/cms.h).
enum class CmsName { wordpress, none };

// What a CMS would tell about the site, where there is none.
struct Standalone {
  std::string address;            // http:// or https://, not ending with '/'
  std::string time_zone = "UTC";  // as base::Zone::named()
  unsigned week_start = 1;        // 0 is Sunday ... 6
};

inline constexpr unsigned kMaxCacheMemory = 1024;

struct Config {
  CmsName cms = CmsName::wordpress;
  Standalone standalone;  // only with CmsName::none
  Database database;
  std::string base_prefix = "wp_";   // of the tables of all sites: 1-32 of [A-Za-z0-9_]
  std::string table_prefix = "wp_";  // of the site's: differs for the second site of a network on
  Network network;
  Logins logins;
  WordPressKeys keys;
  std::string home;     // WP_HOME, WP_SITEURL: these win over the CMS's options of the same name;
  std::string siteurl;  // empty: the options count. http:// or https://, not ending with '/'
  std::string base_path = "/wp-json/ratingd/v1";  // begins with '/', does not end with one
  std::filesystem::path secret_file = "/etc/ratingd/secret";
  std::filesystem::path runtime_dir = "/run/ratingd/shared";  // of the shared memory; absolute
  unsigned processes = 2;                                     // expected on this host: 1 ... 256
  unsigned threads = 64;       // of this process that may wait at the same time: 1 ... 1024
  unsigned db_sessions = 4;    // of this process: 3 ... 64
  unsigned batch_limit = 256;  // votes in one commit: 1 ... 256
  unsigned cache_seconds = 2;  // maximum age of cached totals and own ratings: 0 ... 3600
  unsigned cache_memory = 32;  // MiB of both caches: 1 ... kMaxCacheMemory
  base::LogLevel log_level = base::LogLevel::info;
  bool access_log = false;                      // a line for each request
  std::vector<base::Network> metrics_networks;  // may read /metrics without login

  // Where setup records what it has checked (config/checked_site.h); empty: no configuration file,
  // or no wp-config.php, is read.
  std::filesystem::path site_record;
  bool is_server_of_cms = false;  // wp-config.php names the database server
  bool is_site_of_cms = false;    // it names server, database or table prefix
  // The configuration files that were read, for identity::fingerprint_of().
  std::vector<std::string> files;

  // A sentence for each value that wp-config.php computes and no option sets. The workers must not
  // start then; the admin tool can.
  std::vector<std::string> not_read;
};

// An invalid setting. what() is a message for the operator: the place (flag, variable, or file and
// line) and the allowed values.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A file named by a setting exists, but this user may not read it.
class PermissionDenied : public Error {
 public:
  using Error::Error;
};

// "wordpress": as the option "cms" has it.
[[nodiscard]] std::string_view name_of(CmsName cms);
[[nodiscard]] std::optional<CmsName> cms_named(std::string_view name);

// A file named by a setting is not there.
class FileMissing : public Error {
 public:
  FileMissing(const std::string& what, std::filesystem::path file)
      : Error(what), path(std::move(file)) {}

  const std::filesystem::path path;
};

// wp-config.php does not say a required value as a literal one.
class ValueMissing : public Error {
 public:
  using Error::Error;
};

// All servers of a database, the first one first.
[[nodiscard]] std::vector<DatabaseServer> servers_of(const Database& database);

// Their names, separated by commas.
[[nodiscard]] std::string names_of_servers(const Database& database);

}  // namespace config
