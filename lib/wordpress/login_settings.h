#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "config/wordpress_site.h"
#include "db/connection.h"
#include "wordpress/roles.h"
#include "wordpress/users.h"

namespace wordpress {

// WordPress's login settings: the names and keys of credentials, and the capabilities of roles.
struct LoginSettingsState {
  std::string logged_in_cookie;  // the cookie's name
  // wp_salt(); nothing until WordPress has generated it: nothing can be signed before.
  std::optional<std::string> logged_in_salt, nonce_salt;
  bool uses_app_passwords = false;  // an application password was created
  Roles roles;
  std::vector<std::string> super_admins;  // logins; in a network
};

// The login settings as of the last refresh. Safe for concurrent use.
class LoginSettings {
 public:
  // "config" must outlive this.
  explicit LoginSettings(const config::WordPressSite& config);

  // Reads the settings from the database. Called by one thread at a time. Errors: as
  // db::Connection; the old state stays.
  void refresh(db::Connection& connection);

  // Shared by all callers until the next refresh; nullptr until the first one.
  [[nodiscard]] std::shared_ptr<const LoginSettingsState> state() const;

 private:
  std::optional<std::string> site_option(db::Connection& connection, const std::string& name) const;
  std::string cookie_name(db::Connection& connection) const;

  const config::WordPressSite& config_;
  const wordpress::Users users_;
  mutable base::Mutex mutex_;
  std::shared_ptr<const LoginSettingsState> state_ GUARDED_BY(mutex_);
};

}  // namespace wordpress
