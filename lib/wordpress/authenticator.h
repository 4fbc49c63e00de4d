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

// DESIGN. Authenticates users in the same way as WordPress:
//
//   1. The logged-in cookie counts if WordPress signed it, its session exists, and the request has
//      a valid REST nonce. Without a valid nonce, nobody is logged in, because any page can make a
//      browser send cookies. In this case, passwords are not checked.
//   2. Without a valid cookie, HTTP Basic with an application password counts. The account's
//      password is accepted, too, if the configuration allows it. HTTPS is required, unless
//      WordPress or the configuration says otherwise.
//
// The user's row, sessions and passwords are read for each request with credentials. So a session
// or password that is deleted in WordPress becomes invalid here immediately. Keys, roles and other
// data about all users were read at the last refresh of LoginSettings. Only the results of slow
// hashes are cached (VerifiedPasswordCache).
//
// The number of failed logins is checked before a password is hashed (limit::LoginGuard), and the
// number of concurrent hashes is limited, too. On protected routes, where no other limit applies,
// cookies that WordPress did not sign count as failed logins. Expired cookies and ended sessions do
// not count, because legitimate visitors have such cookies. For the same reason, no cookie counts
// on public routes. No database session is held during hashing. An unknown name takes the same code
// path and the same hashes as a wrong password.
//
// Safe for concurrent use.
class Authenticator {
 public:
  // All arguments must outlive this object.
  Authenticator(const config::WordPressSite& config, const LoginSettings& site, const Users& users);

  // REQUIRES: the login settings have been read. Errors: same as db::Pool.
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
    // With the present data, WordPress has not signed the cookie for any user.
    bool is_forged = false;
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
  // There are two semaphores, so that networks with an earlier login do not wait for new networks.
  runtime::Semaphore known_network_hashing_, new_network_hashing_;
  runtime::OnceAMinute ignored_;  // limits the log events about ignored passwords
};

}  // namespace wordpress
