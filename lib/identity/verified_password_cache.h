#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"

namespace identity {

// DESIGN. Which passwords were found right against which stored hashes, so that a client that sends
// its password with every request costs one slow hash in half a minute. What is kept is a digest
// under a secret key, over the password and the stored text together: neither can be read from it,
// and a password that was changed or removed has another stored text, which the caller reads from
// the database for each request. So nothing is remembered longer than it is true.
//
// The memory is small and of fixed size; two passwords that meet in a place take turns.
//
// Safe for concurrent use.
class VerifiedPasswordCache {
 public:
  explicit VerifiedPasswordCache(std::string key) : key_(std::move(key)) {}

  // Being asked for, a proof is remembered longer.
  [[nodiscard]] bool contains(std::string_view password, std::string_view stored, base::Time now);
  void remember(std::string_view password, std::string_view stored, base::Time now);

  static constexpr std::chrono::seconds kLife{30};

 private:
  struct Entry {
    std::string digest;
    base::Time until;
  };

  [[nodiscard]] std::string digest_of(std::string_view password, std::string_view stored) const;

  static constexpr std::size_t kEntries = 256;

  const std::string key_;
  base::Mutex mutex_;
  std::array<Entry, kEntries> entries_ GUARDED_BY(mutex_);
};

}  // namespace identity
