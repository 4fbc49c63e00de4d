#pragma once

#include <optional>
#include <string_view>

#include "cms/cms.h"
#include "config/cms.h"
#include "http/request.h"
#include "limit/login_guard.h"
#include "runtime/log.h"
#include "runtime/semaphore.h"
#include "wordpress/password.h"
#include "wordpress/users.h"

namespace wordpress {

// DESIGN. Authenticates users in the same way as WordPress.
//
// The logged-in cookie is accepted if WordPress signed the cookie, the cookie's session exists, and
// the request has a valid REST nonce. A valid cookie with an invalid nonce logs nobody in, because
// any page can make a browser send cookies.
//
// Without a valid cookie, HTTP Basic authentication with an application password is accepted. The
// account's password is also accepted if the configuration allows account passwords. HTTPS is
// required, unless WordPress or the configuration allows HTTP.
//
// The user's row, sessions and passwords are read for each request with credentials, so a session
// or password deleted in WordPress becomes invalid immediately. The LoginSettings class caches
// keys, roles and other data that apply to all users. The results of slow hashes are also cached
// (VerifiedPasswordCache).
//
// Before a password is hashed, the number of failed logins is checked (limit::LoginGuard), and the
// number of concurrent hashes is limited. A cookie that WordPress did not sign counts as a failed
// login only on protected routes, because no other limit applies to these routes. Expired cookies
// and cookies from ended sessions do not count as failed logins, because legitimate visitors'
// browsers send them. No database session is held during hashing. A login with an unknown user name
// computes the same hashes as a login with a wrong password.
//
// Safe for concurrent use.
class Authenticator {
 public:
  // All arguments must outlive the Authenticator.
  Authenticator(const config::WordPressSite& config, const LoginSettings& site, const Users& users);

  // Call this function only after the login settings have been read. Throws the same exceptions as
  // db::Pool.
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
    // True if the cookie's signature is invalid for WordPress's current keys and users.
    bool is_forged = false;
  };

  // Holds the request and the intermediate results during a call to identify().
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
  // Password checks from new networks use a separate semaphore, so that they do not delay checks
  // from networks with a previous login.
  runtime::Semaphore known_network_hashing_, new_network_hashing_;
  runtime::OnceAMinute ignored_;  // limits the log events about ignored passwords
};

}  // namespace wordpress
