#include "wordpress/users.h"

#include <algorithm>
#include <array>
#include <utility>

#include "db/bulk_statement.h"
#include "wordpress/credentials.h"
#include "wordpress/php_serialized.h"
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
namespace {

constexpr std::string_view kSessionTokens = "session_tokens";
constexpr std::string_view kAppPasswords = "_application_passwords";

std::string find_user(const config::WordPressSite& config, const std::string& column) {
  return "SELECT ID, user_login, user_pass FROM " + config.logins.users_table + " WHERE " + column +
         " = ? LIMIT 1";
}

std::optional<User> read_user(db::Connection& connection, const std::string& statement,
                              std::string_view value) {
  return connection.query(statement, value).first([](const db::Rows& row) {
    return User{row.unsigned_integer(1), row.text(2), row.text(3)};
  });
}

constexpr std::string_view kDefaultSuperAdmin = "admin";

using Items = wordpress::PhpValue::Array;

Items parse_items(std::string_view text) {
  const auto value = wordpress::parse_php_serialized(text);
  const Items* const items = value ? value->as_array() : nullptr;
  return items == nullptr ? Items() : *items;
}

void merge(const Items& from, Capabilities& into) {
  for (const auto& [name, granted] : from) into.insert_or_assign(name, granted.is_true());
}

// WordPress also rejects translations of the sample phrase. A check for translations is
// unnecessary, because a site that never replaced the phrase uses it for several constants, and
// equal values are rejected.
constexpr std::string_view kSamplePhrase = "put your unique phrase here";

struct Half {
  std::string_view constant;
  std::string_view fallback;  // another constant; empty for none
  std::string_view option;    // the option's name
};

// Returns the two halves of the secret: the key and the salt.
std::pair<Half, Half> halves_of(KeyScheme scheme, const config::WordPressKeys& constants) {
  const std::string& key = constants.secret_key;
  switch (scheme) {
    case KeyScheme::auth:
      return {{constants.auth_key, key, "auth_key"},
              {constants.auth_salt, constants.secret_salt, "auth_salt"}};
    case KeyScheme::logged_in:
      return {{constants.logged_in_key, key, "logged_in_key"},
              {constants.logged_in_salt, {}, "logged_in_salt"}};
    case KeyScheme::nonce:
      break;
  }
  return {{constants.nonce_key, key, "nonce_key"}, {constants.nonce_salt, {}, "nonce_salt"}};
}

// Returns whether WordPress accepts the value of a constant as a secret.
bool is_secret(std::string_view value, const config::WordPressKeys& k) {
  if (value.empty() || value == kSamplePhrase) return false;
  const std::array<std::string_view, 10> all = {
      k.auth_key,  k.secure_auth_key,  k.logged_in_key,  k.nonce_key,  k.secret_key,
      k.auth_salt, k.secure_auth_salt, k.logged_in_salt, k.nonce_salt, k.secret_salt};
  return std::ranges::count(all, value) == 1;
}

std::optional<std::string> resolve(const Half& half, const config::WordPressKeys& constants,
                                   const FindOption& find_option) {
  if (is_secret(half.constant, constants)) return std::string(half.constant);
  if (is_secret(half.fallback, constants)) return std::string(half.fallback);
  return find_option(half.option);
}

}  // namespace

Users::Users(const config::WordPressSite& config)
    : capabilities_key_(config.table_prefix + "capabilities"),
      by_login_(find_user(config, "user_login")),
      by_email_(find_user(config, "user_email")),
      // If several rows have the same key, the row with the lowest umeta_id comes last, because
      // WordPress uses this row and the caller uses the last row for each key.
      meta_("SELECT meta_key, LEFT(meta_value, 1048576) FROM " + config.logins.usermeta_table +
            " WHERE user_id = ? AND meta_key IN (?, ?, ?) ORDER BY umeta_id DESC"),
      find_session_("SELECT 1 FROM " + config.logins.usermeta_table +
                    " WHERE meta_key = ? AND meta_value <> '' LIMIT 1"),
      network_option_("SELECT LEFT(meta_value, 1048576) FROM " + config.base_prefix +
                      "sitemeta WHERE meta_key = ? AND site_id = ? ORDER BY meta_id LIMIT 1"),
      read_names_("SELECT ID, display_name FROM " + config.logins.users_table + " WHERE ID IN ("),
      find_named_("SELECT ID FROM " + config.logins.users_table +
                  " WHERE ID IN (SELECT user_id FROM {prefix}ratingd_users) AND (" +
                  has_words("display_name") + " OR " + has_words("user_login") + " OR " +
                  has_words("user_email") + ") ORDER BY ID LIMIT ?"),
      network_id_(config.network.id) {}

std::optional<User> Users::by_login(db::Connection& connection, std::string_view login) const {
  return read_user(connection, by_login_, login);
}

std::optional<User> Users::by_email(db::Connection& connection, std::string_view email) const {
  return read_user(connection, by_email_, email);
}

Users::Meta Users::meta(db::Connection& connection, std::uint64_t user) const {
  Meta meta;
  db::Rows rows = connection.query(meta_, user, kSessionTokens, kAppPasswords, capabilities_key_);
  while (rows.next()) {
    const std::string key = rows.text(1);
    // In WordPress, keys are case-sensitive, but the column's collation ignores case.
    if (key == kSessionTokens) meta.session_tokens = rows.text(2);
    if (key == kAppPasswords) meta.app_passwords = rows.text(2);
    if (key == capabilities_key_) meta.capabilities = rows.text(2);
  }
  return meta;
}

bool Users::has_sessions(db::Connection& connection) const {
  return connection.query(find_session_, kSessionTokens).first(db::text_in).has_value();
}

std::map<std::uint64_t, std::string> Users::display_names(
    db::Connection& connection, std::span<const std::uint64_t> users) const {
  std::map<std::uint64_t, std::string> names;
  db::BulkStatement({read_names_, "?", ",", ")"})
      .query(connection, users,
             [&](const db::Rows& row) { names[row.unsigned_integer(1)] = row.text(2); });
  return names;
}

std::vector<std::uint64_t> Users::named(db::Connection& connection, std::string_view words,
                                        std::size_t limit) const {
  const std::string pattern = pattern_of(words);
  return connection.query(find_named_, pattern, pattern, pattern, static_cast<std::int64_t>(limit))
      .all([](const db::Rows& row) { return row.unsigned_integer(1); });
}

Roles parse_roles(std::string_view user_roles) {
  Roles roles;
  for (const auto& [name, role] : parse_items(user_roles)) {
    Capabilities& capabilities = roles[name];
    const wordpress::PhpValue* const field = role.find("capabilities");
    if (field != nullptr && field->as_array() != nullptr) merge(*field->as_array(), capabilities);
  }
  return roles;
}

Capabilities capabilities_of(std::string_view capabilities_meta, const Roles& roles) {
  const Items own = parse_items(capabilities_meta);
  Capabilities all;
  for (const auto& [name, value] : own) {
    const auto role = roles.find(name);
    if (role == roles.end()) continue;
    for (const auto& [capability, granted] : role->second) {
      all.insert_or_assign(capability, granted);
    }
  }
  merge(own, all);
  return all;
}

bool can(const Capabilities& capabilities, std::string_view capability) {
  const auto found = capabilities.find(capability);
  return found != capabilities.end() && found->second;
}

std::vector<std::string> parse_super_admins(std::optional<std::string_view> site_admins) {
  if (!site_admins) return {std::string(kDefaultSuperAdmin)};
  std::vector<std::string> logins;
  for (const auto& [index, value] : parse_items(*site_admins)) {
    if (const std::string* const login = value.as_string()) logins.push_back(*login);
  }
  return logins;
}

std::optional<std::string> wp_salt(KeyScheme scheme, const config::WordPressKeys& constants,
                                   const FindOption& find_option) {
  const auto [of_key, of_salt] = halves_of(scheme, constants);
  const auto key = resolve(of_key, constants, find_option);
  const auto salt = resolve(of_salt, constants, find_option);
  if (!key || !salt) return std::nullopt;
  return *key + *salt;
}

}  // namespace wordpress
