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

// A key for the pair, unique to it. REQUIRES: network has at most 255 bytes.
[[nodiscard]] std::string network_and_user(std::string_view network, std::string_view user);

// The networks that have logged in as a user during the last 30 days: the last eight networks of
// each user. Entries may be lost; a network without an entry is only treated as new.
//
// A user's networks are in one bucket, selected by the user's name only. So the owner of an account
// can evict that account's networks, but not another's (except for users in the same bucket, which
// nobody can choose).
//
// Safe for concurrent use, by all processes that share the table. Lock-free.
class KnownLogins {
 public:
  struct alignas(64) Bucket {
    std::array<std::atomic<std::uint64_t>, 8> logins;
  };

  // The layout in shared memory: 256 KiB. Zeros are an empty table.
  struct Table {
    base::SharedKey key;
    std::array<Bucket, 4096> buckets;
  };

  // "table" must outlive this.
  explicit KnownLogins(Table& table);

  void add(std::string_view network, std::string_view user, base::Time now);
  [[nodiscard]] bool contains(std::string_view network, std::string_view user,
                              base::Time now) const;

 private:
  struct Slot {
    Bucket& bucket;
    std::uint64_t tag;
  };
  Slot slot_of(std::string_view network, std::string_view user) const;

  const base::KeyedHash hash_;
  const std::span<Bucket> buckets_;
};

}  // namespace limit
