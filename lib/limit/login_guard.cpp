#include "limit/login_guard.h"

#include <algorithm>

namespace limit {
namespace {

// Attempts that may be under way at once, one for each thread of the host's workers as shipped.
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
                        network_and_user(attempt.network, attempt.user), kOfNetworkAndUser));
  const auto by_user = wait_for(Class::failed_login_of_user, attempt.user, kOfUser);
  if (by_user <= by_network || known_.contains(attempt.network, attempt.user, now)) {
    return by_network;
  }
  return by_user;
}

void LoginGuard::failed(const Attempt& attempt, base::Time now) {
  limiter_.record(Class::failed_login_of_network, attempt.network, kOfNetwork, now);
  limiter_.record(Class::failed_login_of_network_and_user,
                  network_and_user(attempt.network, attempt.user), kOfNetworkAndUser, now);
  limiter_.record(Class::failed_login_of_user, attempt.user, kOfUser, now);
}

void LoginGuard::succeeded(const Attempt& attempt, base::Time now) {
  known_.remember(attempt.network, attempt.user, now);
}

}  // namespace limit
