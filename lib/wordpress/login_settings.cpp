#include "wordpress/login_settings.h"

#include <utility>

#include "wordpress/credentials.h"
#include "wordpress/keys.h"
#include "wordpress/site_reader.h"

namespace wordpress {

LoginSettings::LoginSettings(const config::WordPressSite& config)
    : config_(config), users_(config) {}

void LoginSettings::refresh(db::Connection& connection) {
  const auto find_option = [&](std::string_view name) {
    return site_option(connection, std::string(name));
  };
  auto fresh = std::make_shared<LoginSettingsState>();
  fresh->logged_in_cookie = cookie_name(connection);
  fresh->logged_in_salt = wp_salt(KeyScheme::logged_in, config_.keys, find_option);
  fresh->nonce_salt = wp_salt(KeyScheme::nonce, config_.keys, find_option);
  const std::string in_use = find_option("using_application_passwords").value_or("");
  fresh->uses_app_passwords = !in_use.empty() && in_use != "0";
  fresh->roles =
      parse_roles(read_option(connection, config_.table_prefix + "user_roles").value_or(""));
  if (config_.network.exists) {
    fresh->super_admins = config_.network.super_admins
                              ? *config_.network.super_admins
                              : parse_super_admins(find_option("site_admins"));
  }
  const base::MutexLock lock(mutex_);
  state_ = std::move(fresh);
}

std::shared_ptr<const LoginSettingsState> LoginSettings::state() const {
  const base::MutexLock lock(mutex_);
  return state_;
}

// WordPress's get_site_option(): the network's option, or the site's without a network.
std::optional<std::string> LoginSettings::site_option(db::Connection& connection,
                                                      const std::string& name) const {
  return config_.network.exists ? users_.network_option(connection, name)
                                : read_option(connection, name);
}

std::string LoginSettings::cookie_name(db::Connection& connection) const {
  CookieNames names;
  names.logged_in_cookie = config_.logins.cookie_name;
  names.cookie_hash = config_.logins.cookie_hash;
  if (config_.network.exists) {
    names.network_siteurl = site_option(connection, "siteurl").value_or("");
  } else {
    names.siteurl =
        config_.siteurl.empty() ? read_option(connection, "siteurl").value_or("") : config_.siteurl;
  }
  return logged_in_cookie_name(names);
}

}  // namespace wordpress
