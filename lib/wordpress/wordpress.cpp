#include "wordpress/wordpress.h"

#include <sstream>

#include "base/bytes.h"
#include "base/crypto.h"
#include "wordpress/cms_grants.h"
#include "wordpress/keys.h"

namespace wordpress {

WordPress::WordPress(const config::WordPressSite& config)
    : config_(config),
      site_(config.table_prefix),
      content_(config.table_prefix, config.home),
      users_(config),
      login_settings_(config),
      authenticator_(config, login_settings_, users_) {}

cms::Addresses WordPress::addresses(db::Connection& connection) const {
  const auto read = [&](const std::string& given, const char* option) {
    std::string url = given.empty() ? site_.option(connection, option).value_or("") : given;
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

base::Zone WordPress::time_zone(db::Connection& connection) const {
  return site_.time_zone(connection);
}

std::chrono::weekday WordPress::week_start(db::Connection& connection) const {
  const std::string start = site_.option(connection, "start_of_week").value_or("1");
  const bool is_valid = start.size() == 1 && start[0] >= '0' && start[0] <= '6';  // 0 is Sunday
  return std::chrono::weekday(is_valid ? static_cast<unsigned>(start[0] - '0') : 1);
}

cms::Identification WordPress::identify(const http::Request& request, cms::Route route,
                                        const cms::LoginServices& services) {
  return authenticator_.identify(request, route, services);
}

std::optional<std::string> WordPress::ticket_secret() const {
  if (!config_.logins.tickets) return std::nullopt;
  const auto salt = wp_salt(KeyScheme::auth, config_.keys,
                            [](std::string_view) -> std::optional<std::string> { return {}; });
  // Not a constant that takes the place of one which only PHP can compute.
  if (!salt || *salt != config_.keys.auth_key + config_.keys.auth_salt) return std::nullopt;
  return base::to_hex(base::hmac_sha256(*salt, "ratingd ticket"));
}

std::map<std::uint64_t, std::string> WordPress::display_names(
    db::Connection& connection, std::span<const std::uint64_t> users) const {
  return users_.display_names(connection, users);
}

bool WordPress::has_post(db::Connection& connection, std::uint64_t id) const {
  return site_.has_post(connection, id);
}

cms::ObjectState WordPress::state_of(db::Connection& connection,
                                     const model::Object& object) const {
  return site_.state_of(connection, object);
}

std::optional<std::string> WordPress::ids_of_type(db::Connection& connection,
                                                  const std::string& type) const {
  return site_.ids_of_type(connection, type);
}

std::map<model::Object, cms::ContentItem> WordPress::describe(
    db::Connection& connection, std::span<const model::Object> objects) const {
  return content_.describe(connection, objects);
}

std::optional<model::ObjectSet> WordPress::rated_unpublished(
    db::Connection& connection, const model::FacetNames& facets,
    std::chrono::milliseconds time_limit) const {
  return content_.rated_unpublished(connection, facets, time_limit);
}

cms::TitleMatches WordPress::rated_with_title(db::Connection& connection,
                                              const cms::TitleSearch& search) const {
  return content_.rated_with_title(connection, search);
}

std::vector<model::Object> WordPress::rated_and_deleted(db::Connection& connection,
                                                        const model::FacetNames& facets) const {
  return content_.rated_and_deleted(connection, facets);
}

std::string WordPress::grants() const {
  constexpr std::string_view kNetwork = "{network}";
  std::istringstream lines{std::string(cms_grants_text())};
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const bool is_of_network = line.starts_with(kNetwork);
    if (is_of_network && !config_.network.exists) continue;
    text += line.substr(is_of_network ? kNetwork.size() : 0) + "\n";
  }
  text = base::replace_all(text, "{prefix}", config_.table_prefix);
  text = base::replace_all(text, "{base_prefix}", config_.base_prefix);
  text = base::replace_all(text, "{users}", config_.logins.users_table);
  return base::replace_all(text, "{usermeta}", config_.logins.usermeta_table);
}

}  // namespace wordpress
