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

// What is counted. A key has an allowance of its own in each class.
enum class Class : std::uint8_t {
  read,
  write,
  failed_login_of_network,
  failed_login_of_network_and_user,
  failed_login_of_user,
  ratings_of_network,
  new_voters_of_network,      // on one object
  program_voters_of_network,  // the same
  forged_cookie_of_network,
};

// How much a key may take: "requests" at once, refilled continuously over "window". The time in
// which one request is refilled is rounded down to a microsecond, and is at least that.
//
// REQUIRES: requests >= 1; requests and overdraft together are refilled within a day.
struct Quota {
  std::uint32_t requests = 1;
  std::chrono::seconds window{1};
  std::uint32_t overdraft = 0;  // how many more may be recorded than are allowed

  bool operator==(const Quota&) const = default;
};

struct Decision {
  bool allowed = true;
  std::uint32_t remaining = 0;               // how many more would be allowed at once
  std::chrono::microseconds retry_after{0};  // until the next one would be; 0 if it would be now
  std::chrono::microseconds reset{0};        // until the whole quota would be

  bool operator==(const Decision&) const = default;
};

// DESIGN. The generic cell rate algorithm (GCRA; ITU-T I.371): a key's whole state is one time, at
// which its allowance is full again. A request is allowed if it moves that time no further ahead of
// now than the window. Now is each request's own; nothing here asks a clock.
//
// The table has a fixed size. A key belongs to one bucket, a cache line of seven cells. A cell is
// one 64-bit word, 22 bits of the key's hash (the tag) and 42 bits of time, so that one
// compare-and-swap counts a request exactly, whoever else counts or evicts at that moment. Two keys
// that meet in bucket and tag share an allowance; no client can bring that about or see it, and it
// happens to one new key in 600,000 when the table is full.
//
// A key without a cell takes the one whose time is least far ahead. So idle keys give way first,
// then those that have taken least; a key that has used up its quota stays until its bucket is full
// of keys that owe as much. To push it out, an attacker who cannot know its bucket needs about as
// many addresses as there are cells, each using up its quota.
//
// A key must not get two cells when two threads bring it in at once. So all arrivals in a bucket go
// through its eighth word: it names the last arrived tag and the cell it takes. Everyone first
// completes what that word says, which whoever wrote it may not have lived to do, then looks for
// the key, then swaps in its own arrival. That fails if another arrived since the look.
//
// Time is in microseconds and wraps after 51 days. What is further ahead of now than twice what
// could be owed counts as past: it is from before the wrap, or the clock has been set back since.
// (A key that stays away for 51 days, to within its window, may find its old cell taken for a busy
// one, for at most two windows.)
//
// Safe for concurrent use, by all processes that share the table. Lock-free.
class Limiter {
 public:
  struct alignas(64) Bucket {
    std::atomic<std::uint64_t> arrival;
    std::array<std::atomic<std::uint64_t>, 7> cells;
  };

  // What lies in shared memory: 4 MiB for 458,752 keys. Zeros are an empty table.
  struct Table {
    base::SharedKey key;
    std::array<Bucket, 65536> buckets;
  };

  // "table" must outlive the limiter.
  explicit Limiter(Table& table) : Limiter(table.key, table.buckets) {}
  // The same for a table of another size. REQUIRES: at least one bucket.
  Limiter(base::SharedKey& key, std::span<Bucket> buckets);

  // Takes one request from the key's allowance if there is one. A key must come with the same quota
  // every time; after a change of the quota its allowance is right within two windows.
  Decision take(Class kind, std::string_view key, const Quota& quota, base::Time now);

  // What take() would be allowed, taking nothing: "remaining" includes that request.
  [[nodiscard]] Decision peek(Class kind, std::string_view key, const Quota& quota,
                              base::Time now) const;

  // Takes one request that cannot be refused, since it is over: beyond the quota, up to its
  // overdraft, it is owed, and nothing is allowed until it is paid back by time.
  void record(Class kind, std::string_view key, const Quota& quota, base::Time now);

  // Gives back what take() took for something that did not come about, if the key is still known.
  void give_back(Class kind, std::string_view key, const Quota& quota, base::Time now);

 private:
  using Cell = std::atomic<std::uint64_t>;
  struct Place {
    Bucket& bucket;
    std::uint64_t tag;
  };
  struct Terms;

  Place place_of(Class kind, std::string_view key) const;
  static Decision charge(const Place& place, const Terms& terms, std::int64_t limit,
                         base::Time now);
  static Cell& cell_for(const Place& place, base::Time now);
  static void complete(Bucket& bucket, std::uint64_t arrival, base::Time now);

  const base::KeyedHash hash_;
  const std::span<Bucket> buckets_;
};

}  // namespace limit
