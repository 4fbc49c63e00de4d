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

// The limit classes. A key has a separate limit in each class.
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

// The limit for a key. A key may use up to "requests" requests at once. The requests are refilled
// continuously over "window". The time to refill one request is rounded down to whole microseconds,
// but is at least one microsecond.
//
// "requests" must be at least 1, and "requests" and "overdraft" together must be refilled within a
// day.
struct Quota {
  std::uint32_t requests = 1;
  std::chrono::seconds window{1};
  std::uint32_t overdraft = 0;  // how many requests may be recorded beyond the quota

  bool operator==(const Quota&) const = default;
};

// A limit with the policy name that clients see.
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

// DESIGN. Implements the generic cell rate algorithm (GCRA; ITU-T I.371). A key's state is the time
// at which its limit will be fully refilled. Each request moves the key's time forward. A request
// is allowed if the new time is at most "window" after now. "Now" is the time of the request. The
// limiter does not read a clock.
//
// The table has a fixed size. Each key belongs to one bucket, which is a cache line with seven
// cells. A cell is one 64-bit word with 22 bits of the key's hash (the tag) and 42 bits of time. So
// one compare-and-swap counts a request exactly, even if other threads count requests or evict keys
// concurrently. Two keys with the same bucket and tag share a limit. In a full table, such a
// collision happens to one new key in 600,000. Clients can neither cause nor observe such a
// collision.
//
// A new key takes the cell whose time is least far in the future. So idle keys are evicted first,
// followed by the keys that have used the smallest part of their limits. A key that has used up its
// limit is evicted only if all other keys in its bucket have used at least as much. An attacker
// cannot know a key's bucket. To evict the key, an attacker would need about as many addresses as
// there are cells, and would have to use up the limit for each address.
//
// If two threads add a key at the same time, the key must not get two cells. So all additions to a
// bucket use the bucket's eighth word, which contains the last added tag and the number of its
// cell. Each thread first completes the addition in the eighth word, because the process that began
// the addition may have been killed. Then the thread searches for the key. If the key is missing,
// the thread swaps its own addition into the word. The swap fails if another thread has added a key
// in the meantime.
//
// Times are in microseconds and wrap around after 51 days. A time counts as past if it is later
// than now by more than twice the maximum debt, because such a time was stored before the counter
// wrapped around or before the clock was set back. If a key is used again after about 51 days, its
// old cell may count as busy for at most two windows.
//
// Safe for concurrent use by all processes that share the table. Lock-free.
class Limiter {
 public:
  struct alignas(64) Bucket {
    std::atomic<std::uint64_t> arrival;
    std::array<std::atomic<std::uint64_t>, 7> cells;
  };

  // The layout in shared memory, which has 4 MiB for 458,752 keys. An empty table consists of
  // zeros.
  struct Table {
    base::SharedKey key;
    std::array<Bucket, 65536> buckets;
  };

  // "table" must outlive the limiter.
  explicit Limiter(Table& table) : Limiter(table.key, table.buckets) {}
  // Creates a limiter with a table of a different size. There must be at least one bucket.
  Limiter(base::SharedKey& key, std::span<Bucket> buckets);

  // Counts one request if the limit allows it. Use the same quota for all calls with the same key.
  // If the quota changes, the limit is correct again within two windows.
  Decision take(Class kind, std::string_view key, const Quota& quota, base::Time now);

  // Returns the decision that take() would make, but does not count a request. So "remaining" in
  // the result still includes this request.
  [[nodiscard]] Decision peek(Class kind, std::string_view key, const Quota& quota,
                              base::Time now) const;

  // Counts one request that has already happened and so cannot be refused. Requests beyond the
  // quota become a debt, up to the overdraft. No request is allowed until the refill has repaid the
  // debt.
  void record(Class kind, std::string_view key, const Quota& quota, base::Time now);

  // Reverses take() for an event that did not happen. Does nothing if the key no longer has a cell.
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
