#include "wordpress/wordpress.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "base/crypto.h"
#include "base/origin.h"
#include "base/text.h"
#include "json/codec.h"
#include "wordpress/php_serialized.h"
#include "wordpress/site_reader.h"
#include "wordpress/users.h"

namespace wordpress {

using base::Message;

namespace {

// Returns the URL of the REST API (get_rest_url() in rest-api.php, without the rest_url_prefix
// filter).
std::string rest_root_of(const std::string& home, const std::string& permalink_structure) {
  if (permalink_structure.empty()) return home + "/index.php?rest_route=/";
  // Uses the same condition as WP_Rewrite::using_index_permalinks().
  const bool has_index = permalink_structure.find("index.php/") < 2;
  return home + (has_index ? "/index.php/wp-json/" : "/wp-json/");
}

}  // namespace

WordPress::WordPress(const config::WordPressSite& config)
    : config_(config),
      archives_(config.logins.users_table),
      users_(config),
      login_settings_(config),
      authenticator_(config, login_settings_, users_) {}

cms::Addresses WordPress::addresses(db::Connection& connection) const {
  const auto read = [&](const std::string& given, const char* option) {
    std::string url = given.empty() ? read_option(connection, option).value_or("") : given;
    while (url.ends_with('/')) url.pop_back();  // same as in _config_wp_home (functions.php)
    return url;
  };
  cms::Addresses addresses{.home = read(config_.home, "home"),
                           .is_of_network = config_.network.exists};
  if (!addresses.home.empty()) {
    addresses.rest_root =
        rest_root_of(addresses.home, read_option(connection, "permalink_structure").value_or(""));
  }
  if (std::string siteurl = read(config_.siteurl, "siteurl"); !siteurl.empty()) {
    // The files wp-login.php and admin-ajax.php may be in a folder below the home page
    // (wp_login_url() in general-template.php, admin_url() in link-template.php).
    addresses.login = {siteurl + "/wp-login.php",
                       siteurl + "/wp-admin/admin-ajax.php?action=rest-nonce"};
    addresses.others.push_back(std::move(siteurl));
  }
  return addresses;
}

std::chrono::weekday WordPress::week_start(db::Connection& connection) const {
  const std::string start = read_option(connection, "start_of_week").value_or("1");
  const bool is_valid = start.size() == 1 && start[0] >= '0' && start[0] <= '6';  // 0 is Sunday
  return std::chrono::weekday(is_valid ? static_cast<unsigned>(start[0] - '0') : 1);
}

std::optional<std::string> WordPress::ticket_secret() const {
  if (!config_.logins.tickets) return std::nullopt;
  const auto salt = wp_salt(KeyScheme::auth, config_.keys,
                            [](std::string_view) -> std::optional<std::string> { return {}; });
  // If AUTH_KEY or AUTH_SALT is not a literal, wp_salt() falls back to other keys, so the ticket
  // secret would be wrong.
  if (!salt || *salt != config_.keys.auth_key + config_.keys.auth_salt) return std::nullopt;
  return base::to_hex(base::hmac_sha256(*salt, "ratingd ticket"));
}

std::string WordPress::same_table_here(const std::string& table, bool in_any_case) const {
  const std::string& prefix = config_.base_prefix;
  std::string_view rest = table;
  const std::string_view begin = rest.substr(0, prefix.size());
  const bool has_prefix = in_any_case ? base::equals_ignoring_case(begin, prefix) : begin == prefix;
  if (!config_.network.serves_all || !has_prefix) return table;
  rest.remove_prefix(prefix.size());
  const std::size_t number = rest.find_first_not_of("0123456789");
  if (number != 0 && number != std::string_view::npos && rest[number] == '_') {
    rest.remove_prefix(number + 1);
  }
  return config_.table_prefix + std::string(rest);
}

std::string WordPress::grants() const {
  const std::array only_if = {
      std::pair(std::string_view("{network}"), config_.network.exists),
      std::pair(std::string_view("{all_sites}"), config_.network.serves_all)};
  std::istringstream lines{std::string(cms_grants_text())};
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const auto* const condition =
        std::ranges::find_if(only_if, [&](const auto& one) { return line.starts_with(one.first); });
    if (condition == only_if.end()) {
      text += line + "\n";
    } else if (condition->second) {
      text += line.substr(condition->first.size()) + "\n";
    }
  }
  text = db::with_prefix(text, config_.table_prefix);
  text = base::replace_all(text, "{base_prefix}", config_.base_prefix);
  text = base::replace_all(text, "{users}", config_.logins.users_table);
  return base::replace_all(text, "{usermeta}", config_.logins.usermeta_table);
}

// --- Checks for "ratingctl doctor"

void WordPress::check(db::Connection& connection, std::vector<cms::Finding>& report) const {
  cms::run_check(
      {"address", Message("The site’s address"),
       Message("Visitors can vote only on pages below the address in Settings > General. If "
               "visitors use a different address, correct the address in Settings > General.")},
      report, [&](cms::Findings& findings) {
        check_address(connection, findings, config_.home, "home");
        check_address(connection, findings, config_.siteurl, "siteurl");
        check_base_path(connection, findings);
      });
  cms::run_check({"app passwords", Message("Application passwords")}, report,
                 [&](cms::Findings& findings) { check_app_passwords(connection, findings); });
  cms::run_check({"logins", Message("WordPress logins"),
                  Message("All users count as visitors until your server’s administrator gives "
                          "ratingd the keys of WordPress’s logins.")},
                 report, [&](cms::Findings& findings) { check_login_keys(connection, findings); });
  cms::run_check({"site zone", Message("WordPress time zone"),
                  Message("The server does not support the time zone in Settings > General, so "
                          "statistics use a different time zone. Choose a city as the time zone, "
                          "or install the tzdata-legacy package on the server.")},
                 report, [&](cms::Findings& findings) { check_zone(connection, findings); });
  cms::run_check({"titles", Message("Post titles"),
                  Message("Titles with accented letters may be garbled on ratingd’s pages, "
                          "because the site’s database uses an old character set. Ask the "
                          "database administrator to convert the tables to utf8mb4.")},
                 report, [&](cms::Findings& findings) { check_titles(connection, findings); });
  cms::run_check({"tickets", Message("WordPress’s connection to ratingd")}, report,
                 [&](cms::Findings& findings) { check_tickets(findings); });
}

void WordPress::check_address(db::Connection& connection, cms::Findings& findings,
                              const std::string& given, const char* option) const {
  const auto stored = read_option(connection, option);
  const std::string url = given.empty() ? stored.value_or("") : given;
  const std::vector<base::MessageValue> values = {{"option", option}, {"url", url}};
  if (base::origin_of(url)) {
    findings.ok(Message("{option} is {url}", values));
  } else if (stored) {
    findings.fail(
        Message("{option} is {url}, which is not a valid origin such as https://example.org. "
                "Correct the address, or set --wp-{option}",
                values));
  } else {
    findings.fail(Message(
        "WordPress has no {option} option. Check the table prefix, or set --wp-{option}", values));
  }
}

// WordPress serves its REST API below the path of its home page, and the scripts on its pages use
// the same path. If the base path does not contain /wp-json, checks only that the base path begins
// with the site's path.
void WordPress::check_base_path(db::Connection& connection, cms::Findings& findings) const {
  const auto home = base::path_of(
      config_.home.empty() ? read_option(connection, "home").value_or("") : config_.home);
  if (!home) return;  // check_address() reports this
  const std::string& base_path = config_.base_path;
  const std::size_t rest_base = base_path.find("/wp-json/");
  const bool agrees = rest_base == std::string::npos ? base_path.starts_with(*home + "/")
                                                     : base_path.substr(0, rest_base) == *home;
  if (agrees) return findings.ok(Message("base-path is {path}", {{"path", base_path}}));
  const std::string rest = rest_base == std::string::npos ? base_path : base_path.substr(rest_base);
  findings.warn(Message(
      "base-path is {path}, but pages at {home}/ send requests to {home}{rest}. Set base-path "
      "and the path in the nginx configuration to the path of these requests (docs/proxies.md)",
      {{"path", base_path}, {"home", *home}, {"rest", rest}}));
}

// Checks the option that WordPress sets when the first application password is created
// (WP_Application_Passwords::is_in_use()). If this option is not set, WordPress does not accept
// HTTP Basic authentication.
void WordPress::check_app_passwords(db::Connection& connection, cms::Findings& findings) const {
  constexpr const char* kInUse = "using_application_passwords";
  const auto in_use = login_settings_.site_option(connection, kInUse);
  if (in_use && !in_use->empty() && *in_use != "0") {
    return findings.ok(Message("application passwords are in use"));
  }
  findings.ok(
      Message("no application password exists. Only programs that log in need an application "
              "password, which you can create on your WordPress profile page"));
}

// Checks whether an option, wp-config.php or the database contains the keys. If somebody has logged
// in and the keys are in none of these places, WordPress reads them from another place. If nobody
// is logged in, WordPress may generate missing keys at the next login.
void WordPress::check_login_keys(db::Connection& connection, cms::Findings& findings) const {
  const auto is_known = [&](KeyScheme scheme) {
    return wp_salt(scheme, config_.keys,
                   [&](std::string_view name) {
                     return login_settings_.site_option(connection, std::string(name));
                   })
        .has_value();
  };
  if (is_known(KeyScheme::logged_in) && is_known(KeyScheme::nonce)) {
    return findings.ok(Message("ratingd knows the keys of WordPress's logins"));
  }
  if (!users_.has_sessions(connection)) {
    return findings.ok(Message("nobody is logged in to WordPress, so its keys cannot be checked"));
  }
  findings.warn(Message(
      "all users count as visitors, because ratingd cannot find the keys of WordPress's logins "
      "(docs/install.md)"));
}

void WordPress::check_zone(db::Connection& connection, cms::Findings& findings) const {
  const std::string name = read_option(connection, "timezone_string").value_or("");
  const std::string used = time_zone_of_site(connection).name();
  if (name.empty() || base::Zone::named(name)) {
    return findings.ok(Message("the site's time zone is {zone}", {{"zone", used}}));
  }
  findings.warn(
      Message("this system does not support the site's time zone {name}, so {zone} is used. "
              "Install the tzdata-legacy package and restart the workers, or choose a city as the "
              "time zone in WordPress",
              {{"name", name}, {"zone", used}}));
}

// If DB_CHARSET is not utf8, WordPress stores UTF-8 bytes as text in the character set DB_CHARSET,
// and ratingd reads each byte as a character.
void WordPress::check_titles(db::Connection& connection, cms::Findings& findings) const {
  const std::string charset =
      connection
          .query(
              "SELECT character_set_name FROM information_schema.columns WHERE table_schema ="
              " DATABASE() AND table_name = ? AND column_name = 'post_title'",
              config_.table_prefix + "posts")
          .first(db::text_in)
          .value_or("utf8mb4");
  if (charset.starts_with("utf8")) return findings.ok(Message("post titles are stored as Unicode"));
  findings.warn(
      Message("post titles are stored in the {charset} character set. If DB_CHARSET in "
              "wp-config.php is {charset}, titles with accented letters are garbled in "
              "analytics and exports. Convert the WordPress tables to utf8mb4",
              {{"charset", charset}}));
}

void WordPress::check_tickets(cms::Findings& findings) const {
  if (!config_.logins.tickets) {
    return findings.ok(Message("tickets from WordPress are switched off"));
  }
  if (ticket_secret()) {
    return findings.ok(
        Message("WordPress plugins, cron jobs and WP-CLI can use tickets from the \"wordpress\" "
                "issuer. The key for WordPress's tickets is derived from AUTH_KEY and AUTH_SALT in "
                "wp-config.php. To refuse tickets from WordPress, set --wp-tickets=no"));
  }
  findings.ok(
      Message("WordPress plugins, cron jobs and WP-CLI have no ticket key, because ratingd cannot "
              "read AUTH_KEY and AUTH_SALT in wp-config.php. To provide both values, set "
              "RATINGD_WP_AUTH_KEY and RATINGD_WP_AUTH_SALT"));
}

namespace {

std::string text_of(const PhpValue& values, std::string_view name) {
  const PhpValue* const value = values.find(name);
  const std::string* const text = value != nullptr ? value->as_string() : nullptr;
  return text != nullptr ? *text : "";
}

}  // namespace

// Reads the "ratingd_placement" option, which defines the ratings that the plugin inserts into
// posts and pages (web/wordpress/ratingd/includes/placement.php).
std::vector<cms::PlacedRating> WordPress::placed_ratings(db::Connection& connection) const {
  const auto option = read_option(connection, "ratingd_placement");
  const auto values = option ? parse_php_serialized(*option) : std::nullopt;
  if (!values || values->as_array() == nullptr) return {};
  std::vector<cms::PlacedRating> placed;
  for (const auto& [type, one] : *values->as_array()) {
    const std::string where = text_of(one, "where");
    if (where != "before" && where != "after") continue;
    const bool is_below_comments = type == "comment" && one.find("template") == nullptr;
    placed.push_back(
        {.type = type,
         .is_post = type != "comment" && !Archives::have(type),
         .group = text_of(one, "group"),
         .names = json::list_in({text_of(one, "facets")}),
         .template_slug = is_below_comments ? "simple/thumbs" : text_of(one, "template")});
    if (placed.back().names.empty()) placed.back().group.clear();
  }
  return placed;
}

bool WordPress::may_register(db::Connection& connection) const {
  if (!config_.network.exists) {
    return read_option(connection, "users_can_register").value_or("0") == "1";
  }
  const auto allowed = users_.network_option(connection, "registration").value_or("none");
  return allowed == "all" || allowed == "user";
}

}  // namespace wordpress
