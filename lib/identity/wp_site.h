#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "config/config.h"
#include "db/connection.h"
#include "identity/wp_roles.h"
#include "store/wp_store.h"
#include "store/wp_users.h"

namespace identity {

// What WordPress says of all its users: how their proofs are called and signed, and what roles may.
struct WpSiteState {
  std::string logged_in_cookie;  // the cookie's name
  // wp_salt(); nothing while WordPress has not made it yet: then nothing can be signed.
  std::optional<std::string> logged_in_salt, nonce_salt;
  bool uses_app_passwords = false;  // somebody has made one
  Roles roles;
  std::vector<std::string> super_admins;  // of a network: their logins
};

// The same as it was when last looked at. Safe for concurrent use.
class WpSite {
 public:
  // "config" must outlive this.
  explicit WpSite(const config::Config& config);

  // Looks again. One thread at a time. Errors: as db::Connection; what was known stays.
  void refresh(db::Connection& connection);

  // Shared by all who look at the same time; nullptr until the first refresh.
  [[nodiscard]] std::shared_ptr<const WpSiteState> state() const;

 private:
  std::optional<std::string> site_option(db::Connection& connection, const std::string& name) const;
  std::string cookie_name(db::Connection& connection) const;

  const config::Config& config_;
  const store::WpStore options_;
  const store::WpUsers users_;
  mutable base::Mutex mutex_;
  std::shared_ptr<const WpSiteState> state_ GUARDED_BY(mutex_);
};

}  // namespace identity
