#pragma once

#include <chrono>
#include <string_view>

#include "base/clock.h"
#include "limit/known_logins.h"
#include "limit/limiter.h"

namespace limit {

// Slows the guessing of passwords. Failed logins count, others do not: 30 in 5 minutes for each
// network, 10 for each network and name, and 300 an hour for each user from wherever. This last one
// holds only for networks that have not logged in as that user (KnownLogins): else a stranger with
// many addresses could lock an administrator out.
//
// Ask wait() before the password is hashed, and tell failed() or succeeded() after. Attempts that
// run at the same time all pass wait() before the first of them has failed. So that nobody gains by
// that, each failure is counted, even beyond the limit, and all must be paid back by time.
//
// Safe for concurrent use.
class LoginGuard {
 public:
  struct Attempt {
    std::string_view network;  // base::Address::network()
    // As it was sent, in lower case: what is said of other spellings must not depend on whether
    // they are one account's.
    std::string_view name;
    // The login name of the account that was found, as the CMS has it; "name" if none was.
    std::string_view user;
  };

  // Both must outlive the guard.
  LoginGuard(Limiter& limiter, KnownLogins& known) : limiter_(limiter), known_(known) {}

  // How long the sender should wait before this attempt; 0 if it may be made now.
  [[nodiscard]] std::chrono::microseconds wait(const Attempt& attempt, base::Time now) const;

  // Whether the network has logged in as the user lately: most likely somebody who may.
  [[nodiscard]] bool knows(const Attempt& attempt, base::Time now) const;

  void failed(const Attempt& attempt, base::Time now);
  void succeeded(const Attempt& attempt, base::Time now);

  // wait() and failed() for signed cookies: 30 in 5 minutes for each network. They are limited for
  // what looking at them costs, since nobody can guess a signature, and apart from passwords: wrong
  // ones of the one kind keep nobody out who has the other.
  [[nodiscard]] std::chrono::microseconds wait_for_cookie(std::string_view network,
                                                          base::Time now) const;
  void cookie_failed(std::string_view network, base::Time now);

 private:
  Limiter& limiter_;
  KnownLogins& known_;
};

}  // namespace limit
