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

// Reads the CMS's users and a network's data. Never writes. Only the first mebibyte of a value is
// read, and parsers reject truncated values. Safe for concurrent use if each caller has its own
// connection. Errors (all functions): same as db::Connection.
class Users {
 public:
  explicit Users(const config::WordPressSite& config);

  // Find a user by login name or by e-mail address. Strings are compared by the column's collation,
  // which usually ignores case, accents and trailing spaces. (class-wp-user.php, get_data_by)
  [[nodiscard]] std::optional<User> by_login(db::Connection& connection,
                                             std::string_view login) const;
  [[nodiscard]] std::optional<User> by_email(db::Connection& connection,
                                             std::string_view email) const;

  // The data that determine a login and its permissions. A member is empty if the table has no row
  // for it.
  struct Meta {
    std::string session_tokens;
    std::string app_passwords;
    std::string capabilities;  // the user's capabilities on the site
  };
  [[nodiscard]] Meta meta(db::Connection& connection, std::uint64_t user) const;

  // Returns users' display names. Unknown users are omitted.
  [[nodiscard]] std::map<std::uint64_t, std::string> display_names(
      db::Connection& connection, std::span<const std::uint64_t> users) const;

  // Returns the ids of users who have rated on the site and whose display name, login or e-mail
  // address contains "words". Returns at most "limit" ids, the lowest first. Reads one row per user
  // who has rated.
  [[nodiscard]] std::vector<std::uint64_t> named(db::Connection& connection, std::string_view words,
                                                 std::size_t limit) const;

  // Returns a value from sitemeta. REQUIRES: the site is part of a network.
  [[nodiscard]] std::optional<std::string> network_option(db::Connection& connection,
                                                          const std::string& name) const {
    return connection.query(network_option_, name, network_id_).first(db::text_in);
  }

 private:
  const std::string capabilities_key_;
  const std::string by_login_, by_email_, meta_, network_option_, read_names_, find_named_;
  const unsigned network_id_;
};

// Capabilities by name: granted (true) or denied (false).
using Capabilities = std::map<std::string, bool, std::less<>>;

// Each role's capabilities, by the role's name. Names are case-sensitive.
using Roles = std::map<std::string, Capabilities, std::less<>>;

// Parses the option {prefix}user_roles. If the option is damaged, the result has no roles.
[[nodiscard]] Roles parse_roles(std::string_view user_roles);

// Returns a user's capabilities on the site. "roles" contains the site's roles. "capabilities_meta"
// is the user's usermeta {prefix}capabilities. The result is empty if the user is not a member of
// the site. Its keys are names of roles and single capabilities. A role counts even if its value is
// false. A later role overrides an earlier role, and the user's own capabilities override all
// roles. A damaged value grants nothing. (class-wp-user.php, get_role_caps)
[[nodiscard]] Capabilities capabilities_of(std::string_view capabilities_meta, const Roles& roles);

[[nodiscard]] bool can(const Capabilities& capabilities, std::string_view capability);

// Returns the logins of the users who may do everything on every site in a network. Logins are
// compared exactly with users.user_login. "site_admins" is the value of this name in sitemeta. If
// sitemeta has no such value, the only login is "admin". wp-config.php may override these logins
// (config::Network::super_admins). REQUIRES: the site is part of a network. Single sites have no
// such users. (capabilities.php, get_super_admins and is_super_admin)
[[nodiscard]] std::vector<std::string> parse_super_admins(
    std::optional<std::string_view> site_admins);

// WordPress's login settings: the names and keys of credentials, and the capabilities of roles.
struct LoginSettingsState {
  std::string logged_in_cookie;  // the cookie's name
  // The results of wp_salt(). Empty if WordPress has not generated the salt yet. In this case,
  // nothing can have been signed.
  std::optional<std::string> logged_in_salt, nonce_salt;
  bool uses_app_passwords = false;  // an application password was created
  Roles roles;
  std::vector<std::string> super_admins;  // in a network, the logins of the super administrators
};

// The login settings as of the last refresh. Safe for concurrent use.
class LoginSettings {
 public:
  // "config" must outlive this object.
  explicit LoginSettings(const config::WordPressSite& config);

  // Reads the settings from the database. Must be called by only one thread at a time. Errors: same
  // as db::Connection. After an error, the old state stays.
  void refresh(db::Connection& connection);

  // Returns the settings, which all callers share until the next refresh. Returns nullptr before
  // the first refresh.
  [[nodiscard]] std::shared_ptr<const LoginSettingsState> state() const;

 private:
  std::optional<std::string> site_option(db::Connection& connection, const std::string& name) const;
  std::string cookie_name(db::Connection& connection) const;

  const config::WordPressSite& config_;
  const wordpress::Users users_;
  mutable base::Mutex mutex_;
  std::shared_ptr<const LoginSettingsState> state_ GUARDED_BY(mutex_);
};

// The purpose of a signature.
enum class KeyScheme { auth, logged_in, nonce };

// Returns an option that WordPress has generated in its database, for example "logged_in_salt".
// Returns nothing if the option does not exist. Values are not trimmed.
using FindOption = std::function<std::optional<std::string>(std::string_view name)>;

// Returns the secret with which WordPress signs (pluggable.php, wp_salt). The secret has two
// halves, a key and a salt. Each half is a constant in wp-config.php. If the constant is empty, the
// phrase in the sample file, or equal to one of the nine other constants, the half is the result of
// "find_option". "find_option" reads the options table or, in a network, sitemeta.
//
// Returns nothing if a half is in neither place. WordPress generates a missing half on first use,
// so nothing can have been signed yet.
[[nodiscard]] std::optional<std::string> wp_salt(KeyScheme scheme,
                                                 const config::WordPressKeys& constants,
                                                 const FindOption& find_option);

}  // namespace wordpress
