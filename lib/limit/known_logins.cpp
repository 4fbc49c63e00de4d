#include "limit/known_logins.h"

#include <algorithm>

namespace limit {
namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// A word: 40 bits of the hash of network and user (the tag) | the hour of the last login
constexpr unsigned kHourBits = 24;
constexpr std::uint64_t kHours = (1ULL << kHourBits) - 1;
constexpr std::uint64_t kLife = std::chrono::hours(std::chrono::days(30)).count();

std::uint64_t hour_of(base::Time time) {
  const auto hours = std::chrono::floor<std::chrono::hours>(time.time_since_epoch());
  return static_cast<std::uint64_t>(hours.count()) & kHours;
}

}  // namespace

std::string network_and_user(std::string_view network, std::string_view user) {
  std::string key(1, static_cast<char>(network.size()));
  key += network;
  key += user;
  return key;
}

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
  // Two threads may use the same entry, or two entries for one login: then only an entry is lost or
  // duplicated.
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

}  // namespace limit
