#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "config/config.h"
#include "db/connection.h"
#include "wordpress/roles.h"
#include "wordpress/site_reader.h"
#include "wordpress/users.h"

namespace wordpress {

// What WordPress says of all its users: how their proofs are called and signed, and what roles may.
struct LoginSettingsState {
  std::string logged_in_cookie;  // the cookie's name
  // wp_salt(); nothing while WordPress has not made it yet: then nothing can be signed.
  std::optional<std::string> logged_in_salt, nonce_salt;
  bool uses_app_passwords = false;  // somebody has made one
  Roles roles;
  std::vector<std::string> super_admins;  // of a network: their logins
};

// The same as it was when last looked at. Safe for concurrent use.
class LoginSettings {
 public:
  // "config" must outlive this.
  explicit LoginSettings(const config::Config& config);

  // Looks again. One thread at a time. Errors: as db::Connection; what was known stays.
  void refresh(db::Connection& connection);

  // Shared by all who look at the same time; nullptr until the first refresh.
  [[nodiscard]] std::shared_ptr<const LoginSettingsState> state() const;

 private:
  std::optional<std::string> site_option(db::Connection& connection, const std::string& name) const;
  std::string cookie_name(db::Connection& connection) const;

  const config::Config& config_;
  const wordpress::SiteReader options_;
  const wordpress::Users users_;
  mutable base::Mutex mutex_;
  std::shared_ptr<const LoginSettingsState> state_ GUARDED_BY(mutex_);
};

}  // namespace wordpress
