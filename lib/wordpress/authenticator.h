#pragma once

#include <optional>
#include <string_view>

#include "cms/login.h"
#include "config/wordpress_site.h"
#include "http/request.h"
#include "limit/login_guard.h"
#include "runtime/log.h"
#include "runtime/semaphore.h"
#include "wordpress/password.h"
#include "wordpress/users.h"

namespace wordpress {

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
  Authenticator(const config::WordPressSite& config, const LoginSettings& site, const Users& users);

  // REQUIRES: the login settings have been read. Errors: as db::Pool.
  [[nodiscard]] cms::Identification identify(const http::Request& request, cms::Route route,
                                             const cms::LoginServices& services);

 private:
  struct Account {
    User user;
    Users::Meta meta;
  };

  enum class PasswordCheck { right, wrong, busy };

  // The result of checking a logged-in cookie.
  struct CookieCheck {
    std::optional<cms::User> user;
    bool is_forged = false;  // WordPress did not sign it for any user as they are now
  };

  // One call of identify().
  struct Attempt;

  std::optional<Account> find_account(const Attempt& attempt, std::string_view name,
                                      bool or_by_email) const;
  CookieCheck check_cookie(Attempt& attempt, const std::string& cookie_text);
  std::optional<cms::User> user_of_password(Attempt& attempt);
  PasswordCheck check_password(const Attempt& attempt, std::string_view password,
                               const std::optional<Account>& account,
                               runtime::Semaphore& semaphore);
  bool accepts_basic(const Attempt& attempt);
  void log_ignored(const Attempt& attempt, std::string_view why, std::string_view option);

  const config::Logins& rules_;
  const LoginSettings& site_;
  const Users& users_;
  VerifiedPasswordCache verified_passwords_;
  // Networks that have logged in before do not wait behind others.
  runtime::Semaphore known_network_hashing_, new_network_hashing_;
  runtime::OnceAMinute ignored_;  // passwords that are logged
};

}  // namespace wordpress
