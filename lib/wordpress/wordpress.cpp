#include "wordpress/wordpress.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "base/bytes.h"
#include "base/crypto.h"
#include "wordpress/cms_grants.h"
#include "wordpress/keys.h"

namespace wordpress {

WordPress::WordPress(const config::WordPressSite& config)
    : config_(config),
      archives_(config.logins.users_table),
      content_(config.home, archives_),
      users_(config),
      login_settings_(config),
      authenticator_(config, login_settings_, users_) {}

cms::Addresses WordPress::addresses(db::Connection& connection) const {
  const auto read = [&](const std::string& given, const char* option) {
    std::string url = given.empty() ? read_option(connection, option).value_or("") : given;
    while (url.ends_with('/')) url.pop_back();  // as _config_wp_home does (functions.php)
    return url;
  };
  cms::Addresses addresses{.home = read(config_.home, "home"),
                           .is_of_network = config_.network.exists};
  if (std::string siteurl = read(config_.siteurl, "siteurl"); !siteurl.empty()) {
    // wp-login.php and wp-admin are beside WordPress's files (wp_login_url(), admin_url() in
    // link-template.php and general-template.php), which may be in a folder below the home page.
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
  // Not a constant that takes the place of one which only PHP can compute.
  if (!salt || *salt != config_.keys.auth_key + config_.keys.auth_salt) return std::nullopt;
  return base::to_hex(base::hmac_sha256(*salt, "ratingd ticket"));
}

std::string WordPress::same_table_here(const std::string& table) const {
  std::string_view rest = table;
  if (!config_.network.serves_all || !rest.starts_with(config_.base_prefix)) return table;
  rest.remove_prefix(config_.base_prefix.size());
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
    const auto condition =
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

}  // namespace wordpress
