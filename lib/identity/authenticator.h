#pragma once

#include <atomic>
#include <optional>
#include <string_view>

#include "base/log.h"
#include "base/semaphore.h"
#include "config/config.h"
#include "db/pool.h"
#include "http/request.h"
#include "identity/requester.h"
#include "identity/verified_password_cache.h"
#include "limit/login_guard.h"
#include "model/settings.h"
#include "wordpress/login_settings.h"
#include "wordpress/users.h"

namespace identity {

// The capability that makes an administrator.
inline constexpr std::string_view kManageOptions = "manage_options";

// DESIGN. Authentication as WordPress does it:
//
//   1. The logged-in cookie, if WordPress signed it and its session lives, with a valid REST nonce.
//      Without a nonce, or with a wrong one, nobody is logged in, and a password is not looked at:
//      any page can make a browser send cookies.
//   2. Without a valid cookie, HTTP Basic with an application password (or, if the configuration
//      says so, the account's password). Over HTTPS only, unless WordPress or the configuration
//      says otherwise.
//
// The user's row, sessions and passwords are read for each request with credentials, so whatever
// ends in WordPress ends here at once. Keys, roles and other data about all users are as old as the
// last refresh of LoginSettings. Only the result of a slow hash is cached (VerifiedPasswordCache).
//
// Failed logins are limited before a password is hashed (limit::LoginGuard), and so is the number
// of concurrent hashes. Cookies that WordPress did not sign are limited in the same way on
// protected routes, where nothing else limits them. Expired cookies and ended sessions do not
// count, and nothing counts on public routes, because legitimate visitors have such cookies. No
// database session is held during hashing. An unknown name takes the same code path and the same
// hashes as a wrong password.
//
// Safe for concurrent use.
class Authenticator {
 public:
  // All arguments must outlive this object.
  Authenticator(const config::Config& config, const KeyRing& keys,
                const wordpress::LoginSettings& site, const wordpress::Users& users,
                db::Pool& sessions, limit::LoginGuard& guard, const base::Log& log);

  // Whether the site's login settings have been read.
  [[nodiscard]] bool is_ready() const { return site_.state() != nullptr; }

  enum class Route { open, protected_ };

  // REQUIRES: is_ready(). Errors: as db::Pool.
  [[nodiscard]] Requester identify(const http::Request& request, const model::Settings& settings,
                                   Route route);

  // Whether the user has the capability on the site. (class-wp-user.php, has_cap; filters of
  // WordPress plugins are not applied.)
  [[nodiscard]] bool may(const User& user, std::string_view capability) const;

 private:
  struct Account {
    wordpress::User user;
    wordpress::Users::Meta meta;
  };

  enum class PasswordCheck { right, wrong, busy };

  // The result of checking a logged-in cookie.
  struct CookieCheck {
    std::optional<User> user;
    bool is_forged = false;  // WordPress did not sign it for any user as they are now
  };

  static User user_in(Account account);
  std::optional<Account> find_account(std::string_view name, bool or_by_email);
  CookieCheck check_cookie(const http::Request& request, const wordpress::LoginSettingsState& wp,
                           const std::string& cookie_text, Route route, Requester& requester);
  std::optional<User> user_of_password(const http::Request& request,
                                       const wordpress::LoginSettingsState& wp,
                                       Requester& requester);
  PasswordCheck check_password(std::string_view password, const std::optional<Account>& account,
                               const wordpress::LoginSettingsState& wp, base::Semaphore& semaphore,
                               base::Time now);
  bool accepts_basic(const http::Request& request, const wordpress::LoginSettingsState& wp);
  void log_ignored(base::Time now, std::string_view why, std::string_view option);

  const config::Logins& rules_;
  const KeyRing& keys_;
  const wordpress::LoginSettings& site_;
  const wordpress::Users& users_;
  db::Pool& sessions_;
  limit::LoginGuard& guard_;
  const base::Log& log_;
  VerifiedPasswordCache verified_passwords_;
  // Networks that have logged in before do not wait behind others.
  base::Semaphore known_network_hashing_, new_network_hashing_;
  std::atomic<std::int64_t> logged_at_{0};  // when ignored passwords were last logged, Unix seconds
};

}  // namespace identity
