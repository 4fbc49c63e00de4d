#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "config/cms.h"
#include "db/connection.h"

namespace wordpress {

struct User {
  std::uint64_t id = 0;
  std::string login;          // user_login
  std::string password_hash;  // user_pass

  bool operator==(const User&) const = default;
};

// Reads the CMS's users and the options of a network. Never writes to the database. Truncates
// values longer than 1 MiB, and the parsers reject truncated values. Safe for concurrent use if
// each caller has its own connection. All functions throw the same exceptions as db::Connection.
class Users {
 public:
  explicit Users(const config::WordPressSite& config);

  // These functions find a user by login name or by e-mail address. Strings are compared using the
  // column's collation, which usually ignores case, accents and trailing spaces (class-wp-user.php,
  // get_data_by).
  [[nodiscard]] std::optional<User> by_login(db::Connection& connection,
                                             std::string_view login) const;
  [[nodiscard]] std::optional<User> by_email(db::Connection& connection,
                                             std::string_view email) const;

  // The user metadata needed for a login. A member is empty if the usermeta table has no row with
  // the member's key.
  struct Meta {
    std::string session_tokens;
    std::string app_passwords;
    std::string capabilities;  // the user's capabilities on the site
  };
  [[nodiscard]] Meta meta(db::Connection& connection, std::uint64_t user) const;

  // Returns the display names of "users". Unknown users are omitted.
  [[nodiscard]] std::map<std::uint64_t, std::string> display_names(
      db::Connection& connection, std::span<const std::uint64_t> users) const;

  // Returns the ids of users who have rated on the site and whose display name, login or e-mail
  // address contains "words". Returns at most "limit" ids, starting with the lowest. The query
  // reads one row per user who has rated on the site.
  [[nodiscard]] std::vector<std::uint64_t> named(db::Connection& connection, std::string_view words,
                                                 std::size_t limit) const;

  // Returns whether a user has a session, which WordPress stores at each login.
  [[nodiscard]] bool has_sessions(db::Connection& connection) const;

  // Returns a value from the sitemeta table. The site must be part of a network.
  [[nodiscard]] std::optional<std::string> network_option(db::Connection& connection,
                                                          const std::string& name) const {
    return connection.query(network_option_, name, network_id_).first(db::text_in);
  }

 private:
  const std::string capabilities_key_;
  const std::string by_login_, by_email_, meta_, find_session_, network_option_, read_names_,
      find_named_;
  const unsigned network_id_;
};

// Maps the name of each capability to true if the capability is granted, or to false if it is
// denied.
using Capabilities = std::map<std::string, bool, std::less<>>;

// Maps the name of each role to the role's capabilities. Role names are case-sensitive.
using Roles = std::map<std::string, Capabilities, std::less<>>;

// Parses the option {prefix}user_roles. If the option is damaged, the result has no roles.
[[nodiscard]] Roles parse_roles(std::string_view user_roles);

// Returns a user's capabilities on the site. "roles" contains the site's roles. "capabilities_meta"
// is the user's {prefix}capabilities metadata value. The result is empty if the user is not a
// member of the site or "capabilities_meta" is damaged. Each key in "capabilities_meta" is the name
// of a role or a capability. The user has a role if the role's key is present, even if the key's
// value is false. A later role overrides an earlier role, and the user's own capabilities override
// all roles (class-wp-user.php, get_role_caps).
[[nodiscard]] Capabilities capabilities_of(std::string_view capabilities_meta, const Roles& roles);

[[nodiscard]] bool can(const Capabilities& capabilities, std::string_view capability);

// Returns the logins of a network's super administrators, who have all permissions on every site.
// Logins must match users.user_login exactly, including case. "site_admins" is the value stored
// under the key "site_admins" in the sitemeta table. If the table has no such value, "admin" is the
// only super administrator. Logins in wp-config.php take precedence
// (config::Network::super_admins). The site must be part of a network, because single sites have no
// super administrators (capabilities.php, get_super_admins and is_super_admin).
[[nodiscard]] std::vector<std::string> parse_super_admins(
    std::optional<std::string_view> site_admins);

// WordPress's settings for logins: the cookie name, the secrets for signatures, and the
// capabilities of roles.
struct LoginSettingsState {
  std::string logged_in_cookie;  // the cookie's name
  // The secrets from wp_salt(). If WordPress has not generated a secret yet, the member is empty,
  // and no signature is valid.
  std::optional<std::string> logged_in_salt, nonce_salt;
  bool uses_app_passwords = false;  // an application password was created
  Roles roles;
  std::vector<std::string> super_admins;  // in a network, the logins of the super administrators
};

// Stores the login settings from the last refresh. Safe for concurrent use.
class LoginSettings {
 public:
  // "config" must outlive this object.
  explicit LoginSettings(const config::WordPressSite& config);

  // Reads the settings from the database. Only one thread may call this function at a time. Throws
  // the same errors as db::Connection. If reading fails, the previous settings remain in effect.
  void refresh(db::Connection& connection);

  // Returns the settings, which all callers share until the next refresh. Returns nullptr before
  // the first refresh.
  [[nodiscard]] std::shared_ptr<const LoginSettingsState> state() const;

  // Returns an option of WordPress's get_site_option(): in a network, the network's option, and on
  // any other site, the site's option.
  [[nodiscard]] std::optional<std::string> site_option(db::Connection& connection,
                                                       const std::string& name) const;

 private:
  std::string cookie_name(db::Connection& connection) const;

  const config::WordPressSite& config_;
  const wordpress::Users users_;
  mutable base::Mutex mutex_;
  std::shared_ptr<const LoginSettingsState> state_ GUARDED_BY(mutex_);
};

// The kinds of signatures for which WordPress has separate secrets.
enum class KeyScheme { auth, logged_in, nonce };

// Returns the value of an option that stores a secret generated by WordPress, for example
// "logged_in_salt". Returns nothing if the option does not exist. Does not trim the value.
using FindOption = std::function<std::optional<std::string>(std::string_view name)>;

// Returns the secret that WordPress uses to sign cookies or nonces (pluggable.php, wp_salt). The
// secret has two halves, a key and a salt. Normally, wp-config.php defines each half as a separate
// constant, such as LOGGED_IN_KEY. SECRET_KEY replaces an unusable key constant, and SECRET_SALT
// replaces an unusable salt constant. If SECRET_KEY or SECRET_SALT is also unusable, "find_option"
// reads the key or salt from the options table or, in a network, from the sitemeta table. A
// constant is unusable if it is empty, if it is the sample phrase from wp-config-sample.php, or if
// another constant has the same value.
//
// Returns nothing if the key or the salt is missing, because WordPress generates both before it
// signs anything.
[[nodiscard]] std::optional<std::string> wp_salt(KeyScheme scheme,
                                                 const config::WordPressKeys& constants,
                                                 const FindOption& find_option);

}  // namespace wordpress
