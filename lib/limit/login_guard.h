#pragma once

#include <chrono>
#include <string_view>

#include "base/clock.h"
#include "limit/known_logins.h"
#include "limit/limiter.h"

namespace limit {

// Limits password guessing. Only failed logins count: 30 in 5 minutes per network, 10 per network
// and name, and 300 per hour per user from all networks. The last limit applies only to networks
// that have not logged in as that user (KnownLogins); otherwise an attacker with many addresses
// could lock an administrator out.
//
// Call wait() before the password is hashed, and failed() or succeeded() afterwards. Concurrent
// attempts all pass wait() before the first of them has failed. So that nobody gains by that, each
// failure is counted, even beyond the limit, and all must be repaid by time.
//
// Safe for concurrent use.
class LoginGuard {
 public:
  struct Attempt {
    std::string_view network;  // base::Address::network()
    // As sent, in lower case: the result for other spellings must not reveal whether they name the
    // same account.
    std::string_view name;
    // The login name of the account that was found, as the CMS has it; "name" if none was.
    std::string_view user;
  };

  // Both must outlive the guard.
  LoginGuard(Limiter& limiter, KnownLogins& known) : limiter_(limiter), known_(known) {}

  // How long the sender must wait before this attempt; 0 if it is allowed now.
  [[nodiscard]] std::chrono::microseconds wait(const Attempt& attempt, base::Time now) const;

  // Whether the network has recently logged in as the user.
  [[nodiscard]] bool knows(const Attempt& attempt, base::Time now) const;

  void failed(const Attempt& attempt, base::Time now);
  void succeeded(const Attempt& attempt, base::Time now);

  // wait() and failed() for signed cookies: 30 failures in 5 minutes per network. They are limited
  // because checking costs time, not because signatures could be guessed, and separately from
  // passwords: failures of one kind do not block the other.
  [[nodiscard]] std::chrono::microseconds wait_for_cookie(std::string_view network,
                                                          base::Time now) const;
  void cookie_failed(std::string_view network, base::Time now);

 private:
  Limiter& limiter_;
  KnownLogins& known_;
};

}  // namespace limit
