#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/keyed_hash.h"

namespace limit {

// One key for the two: no other pair has the same. REQUIRES: network has at most 255 bytes.
[[nodiscard]] std::string network_and_user(std::string_view network, std::string_view user);

// Which networks have logged in as which user during the last 30 days, as far as it is remembered:
// the last eight networks of each user. It is a favour, not a right: what is forgotten is only
// treated as new.
//
// A user's networks lie in one bucket, which the user's name alone decides. So somebody who has an
// account can make the service forget that account's networks, but not another's (save for users
// who share a bucket, and nobody can choose that).
//
// Safe for concurrent use, by all processes that share the table. Lock-free.
class KnownLogins {
 public:
  struct alignas(64) Bucket {
    std::array<std::atomic<std::uint64_t>, 8> logins;
  };

  // What lies in shared memory: 256 KiB. Zeros are an empty table.
  struct Table {
    base::SharedKey key;
    std::array<Bucket, 4096> buckets;
  };

  // "table" must outlive this.
  explicit KnownLogins(Table& table);

  void remember(std::string_view network, std::string_view user, base::Time now);
  [[nodiscard]] bool contains(std::string_view network, std::string_view user,
                              base::Time now) const;

 private:
  struct Place {
    Bucket& bucket;
    std::uint64_t tag;
  };
  Place place_of(std::string_view network, std::string_view user) const;

  const base::KeyedHash hash_;
  const std::span<Bucket> buckets_;
};

}  // namespace limit
