#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/crypto.h"

namespace limit {

// The kinds of rate limits. A key, such as a network, has a separate limit of each kind.
enum class Class : std::uint8_t {
  read,
  write,
  failed_login_of_network,
  failed_login_of_network_and_user,
  failed_login_of_user,
  ratings_of_network,
  new_voters_of_network,  // for one object
  network_vote_changes,   // for the whole site
  forged_cookie_of_network,
  refused_ticket_of_network,
};

// A rate limit for each key, such as a network. "requests" is the maximum number of requests that
// can be made at once. The limit refills continuously, and a used-up limit is full again after
// "window". The time to refill one request is rounded down to whole microseconds, but is at least
// one microsecond.
//
// "requests" must be at least 1. A full refill, including the overdraft, must take at most one day.
struct Quota {
  std::uint32_t requests = 1;
  std::chrono::seconds window{1};
  std::uint32_t overdraft = 0;  // how many requests may be recorded beyond the quota

  bool operator==(const Quota&) const = default;
};

// A rate limit and the name of the policy that clients see.
struct Limit {
  std::string_view policy;  // a string literal; empty if there is no policy
  Quota quota;

  bool operator==(const Limit&) const = default;
};

struct Decision {
  bool allowed = true;
  std::uint32_t remaining = 0;  // how many more requests are allowed now
  // The time until the next request is allowed, or 0 if a request is allowed now.
  std::chrono::microseconds retry_after{0};
  std::chrono::microseconds reset{0};  // until the whole quota is available

  bool operator==(const Decision&) const = default;
};

// DESIGN. Implements the Generic Cell Rate Algorithm (GCRA; ITU-T I.371). For each key, the table
// stores only the time at which the key's limit will be fully refilled. Each request moves the
// key's time forward. A request is allowed if it would move the key's time at most "window" into
// the future. The caller passes the current time as "now". The limiter does not read a clock.
//
// The table has a fixed size. Each key belongs to one bucket, which fills one cache line and has
// seven cells. A cell is one 64-bit word with 22 bits of the key's hash (the tag) and 42 bits of
// time. A single compare-and-swap counts a request exactly, even if other threads count requests or
// evict keys concurrently. Two keys with the same bucket and tag share a limit. If the table is
// full, about one in 600,000 new keys shares its limit with another key. Clients can neither cause
// nor detect that two keys share a limit.
//
// If a bucket is full, a new key replaces the key whose time is earliest. Idle keys are evicted
// first, followed by keys with few recent requests. A key that has used up its limit is evicted
// only if all other keys in its bucket have used at least as much of their limits. An attacker
// cannot determine which bucket a key belongs to. To evict a key, an attacker would need about as
// many IP addresses as the table has cells, and would have to use up the limit of each address.
//
// If two threads add the same key at the same time, the key must still get only one cell. Every
// addition of a key is therefore first written to the bucket's eighth word, which contains the
// key's tag and the number of its cell. Each thread first completes the addition that the eighth
// word describes, because the process that began this addition may have been killed. The thread
// then searches the bucket for the key again. If the key is still missing, the thread writes its
// own addition to the eighth word with a compare-and-swap. The compare-and-swap fails if another
// thread has added a key in the meantime.
//
// Times are in microseconds and wrap around after 51 days. A stored time that is ahead of the clock
// by more than twice the maximum debt is treated as past, because it was stored before the counter
// wrapped around or the clock was set back. After about 51 days without requests, a key may briefly
// (for at most two windows) appear to have used up its limit.
//
// Safe for concurrent use by all processes that share the table. Lock-free.
class Limiter {
 public:
  struct alignas(64) Bucket {
    std::atomic<std::uint64_t> arrival;
    std::array<std::atomic<std::uint64_t>, 7> cells;
  };

  // The table's layout in shared memory: 4 MiB for 458,752 keys. A table in its initial state
  // contains only zeros.
  struct Table {
    base::SharedKey key;
    std::array<Bucket, 65536> buckets;
  };

  // "table" must outlive the limiter.
  explicit Limiter(Table& table) : Limiter(table.key, table.buckets) {}
  // Creates a limiter with any number of buckets, but at least one.
  Limiter(base::SharedKey& key, std::span<Bucket> buckets);

  // Counts one request if the limit allows it. All calls for the same key must pass the same quota.
  // After a key's quota changes, the key's limit may be wrong for up to two windows.
  Decision take(Class kind, std::string_view key, const Quota& quota, base::Time now);

  // Returns whether take() would allow a request, without counting the request. If the request is
  // allowed, "remaining" is one higher than in the result of take().
  [[nodiscard]] Decision peek(Class kind, std::string_view key, const Quota& quota,
                              base::Time now) const;

  // Counts a request that has already been processed and therefore cannot be rejected. Requests
  // that exceed the quota increase the key's debt, up to "overdraft" requests beyond the quota.
  // While a key's debt exceeds its quota, no request is allowed.
  void record(Class kind, std::string_view key, const Quota& quota, base::Time now);

  // Undoes take() for an event that did not happen. Does nothing if the key was evicted.
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
