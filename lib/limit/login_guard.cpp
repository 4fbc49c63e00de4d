#include "limit/login_guard.h"

#include <algorithm>
#include <string>

namespace limit {
namespace {

// An entry is a 64-bit word that contains the hour of the last login and a tag: 40 bits of a hash
// of the network and the user.
constexpr unsigned kHourBits = 24;
constexpr std::uint64_t kHours = (1ULL << kHourBits) - 1;
constexpr std::uint64_t kLife = std::chrono::hours(std::chrono::days(30)).count();

std::uint64_t hour_of(base::Time time) {
  const auto hours = std::chrono::floor<std::chrono::hours>(time.time_since_epoch());
  return static_cast<std::uint64_t>(hours.count()) & kHours;
}

// Returns a string that is unique for each pair of network and user. "network" must be at most 255
// bytes long.
std::string network_and_user(std::string_view network, std::string_view user) {
  std::string key(1, static_cast<char>(network.size()));
  key += network;
  key += user;
  return key;
}

constexpr Limit kOfNetwork{"login", {30, std::chrono::minutes(5), LoginGuard::kUnderWay}};
constexpr Limit kOfNetworkAndUser{"login-name",
                                  {10, std::chrono::minutes(5), LoginGuard::kUnderWay}};
constexpr Limit kOfUser{"login-user", {300, std::chrono::hours(1), LoginGuard::kUnderWay}};
constexpr Limit kOfCookies{"login-cookie", kOfNetwork.quota};

// Returns the longer of the waits "a" and "b".
LoginGuard::Wait longer(const LoginGuard::Wait& a, const LoginGuard::Wait& b) {
  return a.time < b.time ? b : a;
}

}  // namespace

KnownLogins::KnownLogins(Table& table) : hash_(table.key), buckets_(table.buckets) {}

void KnownLogins::add(std::string_view network, std::string_view user, base::Time now) {
  const Slot slot = slot_of(network, user);
  const std::uint64_t login = slot.tag << kHourBits | hour_of(now);
  std::atomic<std::uint64_t>* oldest = slot.bucket.logins.data();
  for (std::atomic<std::uint64_t>& entry : slot.bucket.logins) {
    const std::uint64_t word = entry.load();
    if (word == login) return;  // avoids a write to a shared cache line
    if (word >> kHourBits == slot.tag) {
      entry.store(login);
      return;
    }
    if ((word & kHours) < (oldest->load() & kHours)) oldest = &entry;
  }
  // Two threads may write to the same entry, or use two entries for the same login. In the worst
  // case, an entry is lost or is stored twice.
  oldest->store(login);
}

bool KnownLogins::contains(std::string_view network, std::string_view user, base::Time now) const {
  const Slot slot = slot_of(network, user);
  return std::any_of(slot.bucket.logins.begin(), slot.bucket.logins.end(), [&](const auto& entry) {
    const std::uint64_t word = entry.load();
    return word >> kHourBits == slot.tag && hour_of(now) <= (word & kHours) + kLife;
  });
}

KnownLogins::Slot KnownLogins::slot_of(std::string_view network, std::string_view user) const {
  return {buckets_[hash_(user) % buckets_.size()],
          hash_(network_and_user(network, user)) >> kHourBits};
}

LoginGuard::Wait LoginGuard::wait(const Attempt& attempt, base::Time now) const {
  const auto wait_for = [&](Class kind, std::string_view key, const Limit& limit) -> Wait {
    return {limiter_.peek(kind, key, limit.quota, now).retry_after, limit};
  };
  const Wait by_network =
      longer(wait_for(Class::failed_login_of_network, attempt.network, kOfNetwork),
             wait_for(Class::failed_login_of_network_and_user,
                      network_and_user(attempt.network, attempt.name), kOfNetworkAndUser));
  const Wait by_user = wait_for(Class::failed_login_of_user, attempt.user, kOfUser);
  return by_user.time <= by_network.time || knows(attempt, now) ? by_network : by_user;
}

bool LoginGuard::knows(const Attempt& attempt, base::Time now) const {
  return known_.contains(attempt.network, attempt.user, now);
}

void LoginGuard::failed(const Attempt& attempt, base::Time now) {
  limiter_.record(Class::failed_login_of_network, attempt.network, kOfNetwork.quota, now);
  limiter_.record(Class::failed_login_of_network_and_user,
                  network_and_user(attempt.network, attempt.name), kOfNetworkAndUser.quota, now);
  limiter_.record(Class::failed_login_of_user, attempt.user, kOfUser.quota, now);
}

LoginGuard::Wait LoginGuard::wait_for_cookie(std::string_view network, base::Time now) const {
  const auto decision =
      limiter_.peek(Class::forged_cookie_of_network, network, kOfCookies.quota, now);
  return {decision.retry_after, kOfCookies};
}

void LoginGuard::cookie_failed(std::string_view network, base::Time now) {
  limiter_.record(Class::forged_cookie_of_network, network, kOfCookies.quota, now);
}

void LoginGuard::succeeded(const Attempt& attempt, base::Time now) {
  known_.add(attempt.network, attempt.user, now);
}

}  // namespace limit
