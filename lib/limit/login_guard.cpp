#include "limit/login_guard.h"

#include <algorithm>

namespace limit {
namespace {

// The maximum number of concurrent attempts: one per thread of the host's workers by default.
constexpr std::uint32_t kUnderWay = 128;

constexpr Quota kOfNetwork{30, std::chrono::minutes(5), kUnderWay};
constexpr Quota kOfNetworkAndUser{10, std::chrono::minutes(5), kUnderWay};
constexpr Quota kOfUser{300, std::chrono::hours(1), kUnderWay};

}  // namespace

std::chrono::microseconds LoginGuard::wait(const Attempt& attempt, base::Time now) const {
  const auto wait_for = [&](Class kind, std::string_view key, const Quota& quota) {
    return limiter_.peek(kind, key, quota, now).retry_after;
  };
  const auto by_network =
      std::max(wait_for(Class::failed_login_of_network, attempt.network, kOfNetwork),
               wait_for(Class::failed_login_of_network_and_user,
                        network_and_user(attempt.network, attempt.name), kOfNetworkAndUser));
  const auto by_user = wait_for(Class::failed_login_of_user, attempt.user, kOfUser);
  return by_user <= by_network || knows(attempt, now) ? by_network : by_user;
}

bool LoginGuard::knows(const Attempt& attempt, base::Time now) const {
  return known_.contains(attempt.network, attempt.user, now);
}

void LoginGuard::failed(const Attempt& attempt, base::Time now) {
  limiter_.record(Class::failed_login_of_network, attempt.network, kOfNetwork, now);
  limiter_.record(Class::failed_login_of_network_and_user,
                  network_and_user(attempt.network, attempt.name), kOfNetworkAndUser, now);
  limiter_.record(Class::failed_login_of_user, attempt.user, kOfUser, now);
}

std::chrono::microseconds LoginGuard::wait_for_cookie(std::string_view network,
                                                      base::Time now) const {
  return limiter_.peek(Class::forged_cookie_of_network, network, kOfNetwork, now).retry_after;
}

void LoginGuard::cookie_failed(std::string_view network, base::Time now) {
  limiter_.record(Class::forged_cookie_of_network, network, kOfNetwork, now);
}

void LoginGuard::succeeded(const Attempt& attempt, base::Time now) {
  known_.add(attempt.network, attempt.user, now);
}

}  // namespace limit
