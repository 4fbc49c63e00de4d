#include "limit/limiter.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <string>

namespace limit {
namespace {

using std::chrono::microseconds;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(sizeof(Limiter::Bucket) == 64);

// A cell is a 64-bit word with the tag of a key and the low bits of a time in microseconds. The
// "arrival" word in a bucket contains the tag of the most recently added key, a sequence number and
// the number of the key's cell. An unused word is zero. No key has the tag 0, so a tag of 0 means
// that the word is unused.
constexpr unsigned kTagShift = 42;
constexpr std::uint64_t kBelowTag = (1ULL << kTagShift) - 1;
constexpr std::uint64_t kCellNumber = 7;

constexpr std::int64_t kLongestAhead = microseconds(std::chrono::days(1)).count();

std::uint64_t tag_of(std::uint64_t word) { return word >> kTagShift; }

std::uint64_t cell_word(std::uint64_t tag, base::Time now, std::int64_t owed) {
  const auto time = static_cast<std::uint64_t>(now.time_since_epoch().count() + owed);
  return tag << kTagShift | (time & kBelowTag);
}

std::uint64_t next_arrival(std::uint64_t arrival, std::uint64_t tag, std::size_t cell) {
  const std::uint64_t next_sequence = (arrival | kCellNumber) + 1;
  return tag << kTagShift | (next_sequence & kBelowTag) | cell;
}

// Returns the number of microseconds from "now" to the cell's time. The result is negative if the
// cell's time is before "now".
std::int64_t ahead_of(base::Time now, std::uint64_t cell) {
  const std::uint64_t difference =
      cell - static_cast<std::uint64_t>(now.time_since_epoch().count());
  constexpr unsigned kAboveTime = 64 - kTagShift;
  return static_cast<std::int64_t>(difference << kAboveTime) >> kAboveTime;
}

// Returns the debt of the key in "cell". If the stored debt is more than twice the quota's maximum
// debt, it is invalid and counts as 0.
std::int64_t owed_by(std::uint64_t cell, std::int64_t most, base::Time now) {
  const std::int64_t ahead = ahead_of(now, cell);
  return ahead < 0 || ahead > 2 * most ? 0 : ahead;
}

// Returns the index of the cell in which a new key can be stored. The result is an unused cell or,
// if all cells are used, the cell with the earliest time.
std::size_t cell_to_take(const Limiter::Bucket& bucket, base::Time now) {
  const auto worth = [&](const std::atomic<std::uint64_t>& cell) {
    constexpr std::int64_t kNothing = std::numeric_limits<std::int64_t>::min();
    const std::uint64_t word = cell.load();
    const std::int64_t ahead = ahead_of(now, word);
    return tag_of(word) == 0 || ahead > 2 * kLongestAhead ? kNothing : ahead;
  };
  const auto& cells = bucket.cells;
  const auto* const least =
      std::min_element(cells.begin(), cells.end(),
                       [&](const auto& a, const auto& b) { return worth(a) < worth(b); });
  return static_cast<std::size_t>(least - cells.begin());
}

std::atomic<std::uint64_t>* find(Limiter::Bucket& bucket, std::uint64_t tag) {
  auto* const cell = std::find_if(bucket.cells.begin(), bucket.cells.end(),
                                  [&](const auto& it) { return tag_of(it.load()) == tag; });
  return cell == bucket.cells.end() ? nullptr : cell;
}

}  // namespace

// A quota, converted to microseconds.
struct Limiter::Terms {
  std::int64_t interval;  // time to refill one request
  std::int64_t whole;     // time to refill all requests
  std::int64_t most;      // maximum debt

  explicit Terms(const Quota& quota) {
    assert(quota.requests >= 1);
    interval = std::max<std::int64_t>(1, microseconds(quota.window).count() / quota.requests);
    whole = interval * quota.requests;
    most = whole + interval * quota.overdraft;
    assert(most <= kLongestAhead);
  }

  [[nodiscard]] Decision decision(bool allowed, std::int64_t owed) const {
    const std::int64_t left = std::max<std::int64_t>(0, whole - owed);
    return {.allowed = allowed,
            .remaining = static_cast<std::uint32_t>(left / interval),
            .retry_after = microseconds(std::max<std::int64_t>(0, owed + interval - whole)),
            .reset = microseconds(owed)};
  }
};

Limiter::Limiter(base::SharedKey& key, std::span<Bucket> buckets) : hash_(key), buckets_(buckets) {
  assert(!buckets.empty());
}

Decision Limiter::take(Class kind, std::string_view key, const Quota& quota, base::Time now) {
  const Terms terms(quota);
  return charge(slot_of(kind, key), terms, terms.whole, now);
}

Decision Limiter::peek(Class kind, std::string_view key, const Quota& quota, base::Time now) const {
  const Terms terms(quota);
  const Slot slot = slot_of(kind, key);
  std::int64_t owed = 0;
  for (const Cell& cell : slot.bucket.cells) {
    const std::uint64_t word = cell.load();
    if (tag_of(word) == slot.tag) owed = owed_by(word, terms.most, now);
  }
  return terms.decision(owed + terms.interval <= terms.whole, owed);
}

void Limiter::record(Class kind, std::string_view key, const Quota& quota, base::Time now) {
  const Terms terms(quota);
  charge(slot_of(kind, key), terms, terms.most, now);
}

void Limiter::give_back(Class kind, std::string_view key, const Quota& quota, base::Time now) {
  const Terms terms(quota);
  const Slot slot = slot_of(kind, key);
  Cell* const cell = find(slot.bucket, slot.tag);
  if (cell == nullptr) return;
  std::uint64_t word = cell->load();
  while (tag_of(word) == slot.tag) {
    const std::int64_t owed = owed_by(word, terms.most, now);
    const std::int64_t owed_then = std::max<std::int64_t>(0, owed - terms.interval);
    if (cell->compare_exchange_weak(word, cell_word(slot.tag, now, owed_then))) return;
  }
}

Limiter::Slot Limiter::slot_of(Class kind, std::string_view key) const {
  std::string message(1, static_cast<char>(kind));
  message += key;
  const std::uint64_t hash = hash_(message);
  return {buckets_[hash % buckets_.size()], std::max<std::uint64_t>(1, tag_of(hash))};
}

// Adds one request to the key's debt, unless the debt would then exceed "limit".
Decision Limiter::charge(const Slot& slot, const Terms& terms, std::int64_t limit, base::Time now) {
  for (;;) {
    Cell& cell = cell_for(slot, now);
    std::uint64_t word = cell.load();
    while (tag_of(word) == slot.tag) {
      const std::int64_t owed = owed_by(word, terms.most, now);
      const std::int64_t owed_then = owed + terms.interval;
      if (owed_then > limit) return terms.decision(false, owed);
      if (cell.compare_exchange_weak(word, cell_word(slot.tag, now, owed_then))) {
        return terms.decision(true, owed_then);
      }
    }
    // Another key has replaced this key in the meantime, so try again.
  }
}

// Returns the key's cell. If the key is new, adds a cell without debt to the bucket.
Limiter::Cell& Limiter::cell_for(const Slot& slot, base::Time now) {
  Bucket& bucket = slot.bucket;
  for (;;) {
    if (Cell* cell = find(bucket, slot.tag)) return *cell;

    std::uint64_t arrival = bucket.arrival.load();
    complete(bucket, arrival, now);
    // Search again, because another thread may have just added this key.
    if (Cell* cell = find(bucket, slot.tag)) return *cell;
    const std::uint64_t mine = next_arrival(arrival, slot.tag, cell_to_take(bucket, now));
    if (bucket.arrival.compare_exchange_strong(arrival, mine)) complete(bucket, mine, now);
  }
}

// Writes the tag of a new key to its cell, which completes the addition of the key. The tag and the
// number of the cell are in the bucket's "arrival" word.
void Limiter::complete(Bucket& bucket, std::uint64_t arrival, base::Time now) {
  const std::uint64_t tag = tag_of(arrival);
  Cell& cell = bucket.cells[arrival & kCellNumber];
  std::uint64_t word = cell.load();
  while (tag_of(word) != tag) {
    // If the bucket's "arrival" word has changed, another thread has already added the key. The
    // compare-and-swap replaces the older key in the cell, unless another thread has changed the
    // cell.
    if (bucket.arrival.load() != arrival) return;
    if (cell.compare_exchange_weak(word, cell_word(tag, now, 0))) return;
  }
}

}  // namespace limit
