// The options for the WordPress adapter.

#include <array>

#include "base/text.h"
#include "config/options.h"

namespace config {
namespace {

template <std::string Logins::*table>
void set_table(Config& config, const GivenOption& given) {
  if (given.value.empty() || given.value.size() > 64 ||
      !base::consists_of_letters_digits_and(given.value, "_")) {
    refuse(given, "1 to 64 letters, digits and underscores");
  }
  config.logins.*table = given.value;
}

template <std::string Logins::*text>
void set_login(Config& config, const GivenOption& given) {
  config.logins.*text = given.value;
}

// If $super_admins comes from wp-config.php, a line feed follows each login name.
void set_super_admins(Config& config, const GivenOption& given) {
  std::vector<std::string>& logins = config.network.super_admins.emplace();
  for (const std::string_view login : parts_of(given.value, given.is_of_cms ? '\n' : ',')) {
    if (!login.empty()) logins.emplace_back(login);
  }
}

template <std::string WordPressKeys::*key>
void set_key(Config& config, const GivenOption& given) {
  config.keys.*key = given.value;
}

// "only_compared" is true for a key that does not sign logins. Keys that do not sign logins are
// needed only for the wp-tickets option and for detecting equal keys.
template <std::string WordPressKeys::*key>
constexpr Option key_option(const char* name, const char* constant, bool only_compared = false) {
  return {.name = name,
          .argument = "TEXT",
          .meaning = "The value of the constant in wp-config.php. Default: none.",
          .apply = set_key<key>,
          .constant = constant,
          .only_compared = only_compared,
          .secret = true};
}

constexpr unsigned kMaxSites = 4'000'000'000;

// The options in kOptions are applied after the table-prefix option, which sets the default table
// names.
constexpr auto kOptions = std::to_array<Option>({
    {"wp-home", "URL",
     "Address of the site, if wp-config.php sets WP_HOME. Default: WordPress's option home.",
     [](Config& config, const GivenOption& s) { config.home = address(s); }, "WP_HOME"},
    {"wp-siteurl", "URL",
     "Address of WordPress, if wp-config.php sets WP_SITEURL. Default: WordPress's option siteurl.",
     [](Config& config, const GivenOption& s) { config.siteurl = address(s); }, "WP_SITEURL"},
    {"wp-multisite", "yes|no", "yes if the site is part of a WordPress network. Default: no.",
     [](Config& config, const GivenOption& s) { config.network.exists = yes_or_no(s); },
     "MULTISITE"},
    {"wp-network-id", "NUMBER",
     "Number of the WordPress network, if there are several (SITE_ID_CURRENT_SITE). Default: 1.",
     [](Config& config, const GivenOption& s) { config.network.id = number(s, 1, kMaxSites); },
     "SITE_ID_CURRENT_SITE"},
    {"blog-id", "NUMBER", "Number of the site in the WordPress network. Default: 1.",
     [](Config& config, const GivenOption& s) {
       config.network.blog_id = number(s, 1, kMaxSites);
     }},
    {"all-sites", "yes|no",
     "yes if these workers serve all sites of the WordPress network, each at its own host and "
     "path. With no, they serve one site. Default: no.",
     [](Config& config, const GivenOption& s) { config.network.serves_all = yes_or_no(s); }},
    {"wp-super-admins", "LIST",
     "Login names of the WordPress network's super administrators, separated by commas, if "
     "wp-config.php sets $super_admins. Default: the names that WordPress stores for the network.",
     set_super_admins, "$super_admins"},
    {"wp-users-table", "NAME",
     "Table of users, if wp-config.php sets CUSTOM_USER_TABLE. Default: the table prefix and "
     "users.",
     set_table<&Logins::users_table>, "CUSTOM_USER_TABLE"},
    {"wp-usermeta-table", "NAME",
     "Table of user metadata, if wp-config.php sets CUSTOM_USER_META_TABLE. Default: the table "
     "prefix and usermeta.",
     set_table<&Logins::usermeta_table>, "CUSTOM_USER_META_TABLE"},
    {"wp-logged-in-cookie", "NAME",
     "Name of the login cookie, if wp-config.php sets LOGGED_IN_COOKIE. Default: "
     "wordpress_logged_in_ and the cookie hash.",
     set_login<&Logins::cookie_name>, "LOGGED_IN_COOKIE"},
    {"wp-cookiehash", "TEXT",
     "Hash in cookie names, if wp-config.php sets COOKIEHASH. Default: the MD5 hash of the "
     "address.",
     set_login<&Logins::cookie_hash>, "COOKIEHASH"},
    {"wp-environment-type", "TYPE",
     "Environment type, if wp-config.php sets WP_ENVIRONMENT_TYPE. With local, passwords do not "
     "require HTTPS. Default: production.",
     set_login<&Logins::environment_type>, "WP_ENVIRONMENT_TYPE"},
    {"wp-tickets", "yes|no",
     "Accept tickets from WordPress's own programs. They are signed with a key that WordPress and "
     "ratingd derive from AUTH_KEY and AUTH_SALT in wp-config.php. Default: yes.",
     [](Config& config, const GivenOption& s) { config.logins.tickets = yes_or_no(s); }},
    {"allow-app-passwords", "yes|no",
     "Accept application passwords by HTTP Basic authentication. Set this option to no if a plugin "
     "forbids them in WordPress, because ratingd cannot detect that. Default: yes.",
     [](Config& config, const GivenOption& s) { config.logins.app_passwords = yes_or_no(s); }},
    {"allow-account-passwords", "yes|no",
     "Also accept account passwords by HTTP Basic authentication. WordPress itself does not accept "
     "them. Default: no.",
     [](Config& config, const GivenOption& s) { config.logins.account_passwords = yes_or_no(s); }},
    {"allow-basic-over-http", "yes|no",
     "Accept HTTP Basic authentication without HTTPS. Then anybody on the network path can read "
     "the passwords. Default: no.",
     [](Config& config, const GivenOption& s) { config.logins.basic_over_http = yes_or_no(s); }},
    key_option<&WordPressKeys::auth_key>("wp-auth-key", "AUTH_KEY", true),
    key_option<&WordPressKeys::auth_salt>("wp-auth-salt", "AUTH_SALT", true),
    key_option<&WordPressKeys::secure_auth_key>("wp-secure-auth-key", "SECURE_AUTH_KEY", true),
    key_option<&WordPressKeys::secure_auth_salt>("wp-secure-auth-salt", "SECURE_AUTH_SALT", true),
    key_option<&WordPressKeys::logged_in_key>("wp-logged-in-key", "LOGGED_IN_KEY"),
    key_option<&WordPressKeys::logged_in_salt>("wp-logged-in-salt", "LOGGED_IN_SALT"),
    key_option<&WordPressKeys::nonce_key>("wp-nonce-key", "NONCE_KEY"),
    key_option<&WordPressKeys::nonce_salt>("wp-nonce-salt", "NONCE_SALT"),
    key_option<&WordPressKeys::secret_key>("wp-secret-key", "SECRET_KEY"),
    key_option<&WordPressKeys::secret_salt>("wp-secret-salt", "SECRET_SALT"),
});

}  // namespace

std::span<const Option> wordpress_options() { return kOptions; }

}  // namespace config
