#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace config {

// The supported content management systems (lib/cms/cms.h).
enum class CmsName { wordpress, none };

// The data about a site that ratingd reads from options if the site has no CMS.
struct Standalone {
  std::string address;            // http:// or https://, not ending with '/'
  std::string time_zone = "UTC";  // a name that base::Zone::named() accepts
  unsigned week_start = 1;        // 0 is Sunday, 6 is Saturday
};

// Returns the value for the "cms" option, such as "wordpress".
[[nodiscard]] constexpr std::string_view name_of(CmsName cms) {
  return cms == CmsName::none ? "none" : "wordpress";
}
[[nodiscard]] constexpr std::optional<CmsName> cms_named(std::string_view name) {
  for (const CmsName cms : {CmsName::wordpress, CmsName::none}) {
    if (name == name_of(cms)) return cms;
  }
  return std::nullopt;
}

// WordPress's cookie keys. A key or salt is an empty string if neither an option nor wp-config.php
// sets it.
struct WordPressKeys {
  std::string auth_key, secure_auth_key, logged_in_key, nonce_key, secret_key;
  std::string auth_salt, secure_auth_salt, logged_in_salt, nonce_salt, secret_salt;
};

// The WordPress network ("multisite") to which the site belongs.
struct Network {
  bool exists = false;
  unsigned id = 1;          // SITE_ID_CURRENT_SITE, the network's id in sitemeta
  unsigned blog_id = 1;     // the site that is served or configured
  bool serves_all = false;  // serve all sites in the network, each at its own host and path
  // The logins of the super administrators ($super_admins). If $super_admins is not set, the
  // network's database tables contain the logins of the super administrators.
  std::optional<std::vector<std::string>> super_admins;
};

// WordPress's user tables and login methods.
struct Logins {
  std::string users_table = "wp_users";        // CUSTOM_USER_TABLE
  std::string usermeta_table = "wp_usermeta";  // CUSTOM_USER_META_TABLE
  std::string cookie_name;                     // LOGGED_IN_COOKIE; empty for WordPress's default
  std::string cookie_hash;                     // COOKIEHASH; empty for WordPress's default
  std::string environment_type;                // WP_ENVIRONMENT_TYPE
  bool app_passwords = true;                   // off if a plugin disables them in WordPress
  bool account_passwords = false;
  bool tickets = true;  // tickets from WordPress's own programs
  bool basic_over_http = false;
};

// The settings for the WordPress adapter.
struct WordPressSite {
  std::string base_prefix = "wp_";   // for all sites' tables: 1 to 32 characters from [A-Za-z0-9_]
  std::string table_prefix = "wp_";  // for the site's tables; base_prefix for the first site
  Network network;
  Logins logins;
  WordPressKeys keys;
  // WP_HOME and WP_SITEURL, which override the CMS's home and siteurl options. The home and siteurl
  // members begin with http:// or https:// and do not end with '/'. "home" is empty if WP_HOME is
  // not set, and "siteurl" is empty if WP_SITEURL is not set.
  std::string home;
  std::string siteurl;
  std::string base_path = "/wp-json/ratingd/v1";  // begins with '/' and does not end with '/'
};

// Returns the prefix for a site's tables. The first site in a network uses the network's prefix
// (class-wpdb.php, get_blog_prefix()).
[[nodiscard]] inline std::string table_prefix_of(const WordPressSite& site, unsigned blog_id) {
  return blog_id == 1 ? site.base_prefix : site.base_prefix + std::to_string(blog_id) + "_";
}

// Returns the number of the site from which identity::read_secrets() must read the keys.
[[nodiscard]] inline unsigned site_of_keys(const WordPressSite& site) {
  return site.network.serves_all ? site.network.blog_id : 1;
}

}  // namespace config
