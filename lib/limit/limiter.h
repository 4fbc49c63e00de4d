#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/keyed_hash.h"

namespace limit {

// The classes of limits. A key has a separate limit in each class.
enum class Class : std::uint8_t {
  read,
  write,
  failed_login_of_network,
  failed_login_of_network_and_user,
  failed_login_of_user,
  ratings_of_network,
  new_voters_of_network,  // on one object
  network_vote_changes,   // of the whole site
  forged_cookie_of_network,
  refused_ticket_of_network,
};

// The limit of a key: "requests" at once, refilled continuously over "window". The time to refill
// one request is rounded down to a microsecond, and is at least that.
//
// REQUIRES: requests >= 1; requests and overdraft together are refilled within a day.
struct Quota {
  std::uint32_t requests = 1;
  std::chrono::seconds window{1};
  std::uint32_t overdraft = 0;  // how many more may be recorded than are allowed

  bool operator==(const Quota&) const = default;
};

// A limit under the name that clients know it by.
struct Limit {
  std::string_view policy;  // a literal; empty: none
  Quota quota;

  bool operator==(const Limit&) const = default;
};

struct Decision {
  bool allowed = true;
  std::uint32_t remaining = 0;               // how many more would be allowed at once
  std::chrono::microseconds retry_after{0};  // until the next one would be; 0 if it would be now
  std::chrono::microseconds reset{0};        // until the whole quota would be

  bool operator==(const Decision&) const = default;
};

// DESIGN. The generic cell rate algorithm (GCRA; ITU-T I.371): the state of a key is one time, at
// which its limit is fully refilled. A request is allowed if it moves that time to at most the
// window after now. Now is the time of the request; no clock is read here.
//
// The table has a fixed size. A key belongs to one bucket, a cache line of seven cells. A cell is
// one 64-bit word with 22 bits of the key's hash (the tag) and 42 bits of time, so one
// compare-and-swap counts a request exactly, even if others count or evict concurrently. Two keys
// with the same bucket and tag share a limit; clients can neither cause nor observe that, and it
// happens to one new key in 600,000 when the table is full.
//
// A key without a cell takes the cell whose time is least far ahead. So idle keys are evicted
// first, then those that have used least. A key that has used up its limit stays until its bucket
// is full of keys that have used as much. To evict it, an attacker who cannot know its bucket needs
// about as many addresses as there are cells, each of which uses up its limit.
//
// A key must not get two cells if two threads add it at the same time. So all additions to a bucket
// go through its eighth word, which holds the last added tag and its cell. Every thread first
// completes the addition in that word, because its writer may have been killed, then searches for
// the key, then swaps in its own addition. That fails if another addition came in between.
//
// Time is in microseconds and wraps after 51 days. A time that is further ahead of now than twice
// the maximum debt counts as past: it is from before the wrap, or the clock was set back. (A key
// that returns after 51 days, give or take its window, may find its old cell treated as busy, for
// at most two windows.)
//
// Safe for concurrent use, by all processes that share the table. Lock-free.
class Limiter {
 public:
  struct alignas(64) Bucket {
    std::atomic<std::uint64_t> arrival;
    std::array<std::atomic<std::uint64_t>, 7> cells;
  };

  // The layout in shared memory: 4 MiB for 458,752 keys. Zeros are an empty table.
  struct Table {
    base::SharedKey key;
    std::array<Bucket, 65536> buckets;
  };

  // "table" must outlive the limiter.
  explicit Limiter(Table& table) : Limiter(table.key, table.buckets) {}
  // The same for a table of another size. REQUIRES: at least one bucket.
  Limiter(base::SharedKey& key, std::span<Bucket> buckets);

  // Counts one request if the limit allows it. A key must always come with the same quota; after a
  // change of the quota the limit is correct within two windows.
  Decision take(Class kind, std::string_view key, const Quota& quota, base::Time now);

  // The result that take() would have, without counting: "remaining" includes that request.
  [[nodiscard]] Decision peek(Class kind, std::string_view key, const Quota& quota,
                              base::Time now) const;

  // Counts one request that cannot be refused because it has already happened. Beyond the quota it
  // is debt, up to the overdraft, and nothing is allowed until time has repaid it.
  void record(Class kind, std::string_view key, const Quota& quota, base::Time now);

  // Reverses take() for an event that did not happen, if the key still has a cell.
  void give_back(Class kind, std::string_view key, const Quota& quota, base::Time now);

 private:
  using Cell = std::atomic<std::uint64_t>;
  struct Slot {
    Bucket& bucket;
    std::uint64_t tag;
  };
  struct Terms;

  Slot slot_of(Class kind, std::string_view key) const;
  static Decision charge(const Slot& slot, const Terms& terms, std::int64_t limit, base::Time now);
  static Cell& cell_for(const Slot& slot, base::Time now);
  static void complete(Bucket& bucket, std::uint64_t arrival, base::Time now);

  const base::KeyedHash hash_;
  const std::span<Bucket> buckets_;
};

}  // namespace limit
