#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"

namespace wordpress {

// DESIGN. A cache of passwords that were verified against stored hashes, so a client that sends its
// password with every request costs one slow hash per half minute. An entry is a digest with a
// secret key over the password and the stored hash together: neither can be recovered from it. A
// changed or removed password has another stored hash, which the caller reads from the database for
// each request. So no entry is used after it has become invalid.
//
// The cache is small and of fixed size; two passwords with the same slot replace each other.
//
// Safe for concurrent use.
class VerifiedPasswordCache {
 public:
  explicit VerifiedPasswordCache(std::string key) : key_(std::move(key)) {}

  // Whether the password is cached; a hit extends the life of the entry.
  [[nodiscard]] bool contains(std::string_view password, std::string_view stored, base::Time now);
  void fill(std::string_view password, std::string_view stored, base::Time now);

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

}  // namespace wordpress
