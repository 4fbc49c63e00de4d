#include "rollups/stats_cache.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "config/segment_path.h"

namespace rollups {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using Word = std::atomic<std::uint64_t>;

static_assert(Word::is_always_lock_free);
static_assert(sizeof(StatsCache::Set) == 1408);

constexpr std::size_t kLongestType = 64;

// A lock: its sequence number | the process that holds it, 0 if none does
constexpr unsigned kProcessBits = 22;  // the kernel's PID_MAX_LIMIT
constexpr std::uint64_t kProcess = (1ULL << kProcessBits) - 1;

std::uint64_t owner_of(std::uint64_t lock) { return lock & kProcess; }
std::uint64_t released(std::uint64_t lock) { return (lock | kProcess) + 1; }

bool has_died(std::uint64_t process) {
  return kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
}

}  // namespace

// The right to change a set, if it can be had.
class StatsCache::Lock {
 public:
  Lock(Set& set, std::uint64_t process) : set_(set) {
    std::uint64_t word = set.lock.load();
    for (int attempt = 0; attempt < kTries && !is_held_; ++attempt) {
      if (owner_of(word) == 0) {
        before_ = word;
        is_held_ = set.lock.compare_exchange_weak(word, word | process);
      } else if (attempt < kSpins) {
        word = set.lock.load();
      } else if (has_died(owner_of(word))) {
        take_over(word, process);
      } else {
        sched_yield();
        word = set.lock.load();
      }
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (is_held_) set_.lock.store(released(before_), memory_order_release);
  }

  [[nodiscard]] bool is_held() const { return is_held_; }

  // The lock's word while nobody held it.
  [[nodiscard]] std::uint64_t before() const { return before_; }

 private:
  static constexpr int kSpins = 200;
  static constexpr int kTries = 300;

  // What the dead one was changing may be half of this and half of that.
  void take_over(std::uint64_t& word, std::uint64_t process) {
    before_ = released(word);
    is_held_ = set_.lock.compare_exchange_strong(word, before_ | process);
    if (!is_held_) return;
    for (Word& object : set_.objects) object.store(0, memory_order_release);
  }

  Set& set_;
  bool is_held_ = false;
  std::uint64_t before_ = 0;
};

StatsCache::StatsCache(const base::SharedMemory& memory, std::chrono::microseconds life)
    : StatsCache(memory.as<Header>().key, memory.behind<Header, Set>(), life) {}

StatsCache::StatsCache(base::SharedKey& key, std::span<Set> sets, std::chrono::microseconds life)
    : hash_(key), sets_(sets), life_(life), process_(static_cast<std::uint64_t>(getpid())) {
  assert(!sets.empty() && process_ <= kProcess);
}

std::optional<StatsCache::Record> StatsCache::find(const model::Object& object, base::Time now,
                                                   Ticket& ticket) const {
  constexpr int kTries = 4;  // then the database is as quick
  const Key key = key_of(object);
  const Set& set = set_of(key);
  for (int attempt = 0; attempt < kTries; ++attempt) {
    ticket = {set.lock.load(memory_order_acquire), set.invalidated.load(memory_order_acquire), now};
    if (owner_of(ticket.lock) != 0) continue;
    const auto position = position_of(set, key);
    if (!position) return std::nullopt;
    const Place& place = set.places[*position];
    const auto asked_at = static_cast<std::int64_t>(place.asked_at.load(memory_order_acquire));
    const Record record = record_in(place);
    if (set.lock.load(memory_order_relaxed) != ticket.lock) continue;
    if (!is_alive(asked_at, now)) return std::nullopt;
    return record;
  }
  return std::nullopt;
}

StatsCache::Ticket StatsCache::look(const model::Object& object, base::Time now) const {
  const Set& set = set_of(key_of(object));
  return {set.lock.load(memory_order_acquire), set.invalidated.load(memory_order_acquire), now};
}

void StatsCache::fill(const model::Object& object, const Record& record, const Ticket& ticket) {
  const Key key = key_of(object);
  Set& set = set_of(key);
  const Lock lock(set, process_);
  if (!lock.is_held()) {
    ++set.invalidated;
    return;
  }
  const bool is_valid = set.invalidated == ticket.invalidated;
  const auto position = position_of(set, key);
  if (is_valid && lock.before() == ticket.lock) {
    put(set, position.value_or(place_to_take(set)), key, record, ticket);
    return;
  }
  if (!position) return;
  const Order order = order_of(record, record_in(set.places[*position]));
  if (order == Order::newer && is_valid) {
    put(set, *position, key, record, ticket);
  } else if (order == Order::newer || order == Order::unknown) {
    set.objects[*position].store(0, memory_order_release);
  }
}

void StatsCache::invalidate(const model::Object& object) { ++set_of(key_of(object)).invalidated; }

void StatsCache::clear() {
  for (Set& set : sets_) ++set.invalidated;
}

StatsCache::Key StatsCache::key_of(const model::Object& object) const {
  assert(object.type.size() <= kLongestType);
  std::array<char, sizeof object.id + kLongestType> message;
  std::memcpy(message.data(), &object.id, sizeof object.id);
  std::memcpy(message.data() + sizeof object.id, object.type.data(), object.type.size());
  const std::uint64_t hash = hash_({message.data(), sizeof object.id + object.type.size()});
  return {std::max<std::uint64_t>(1, hash), object.id};
}

StatsCache::Set& StatsCache::set_of(const Key& key) const { return sets_[key.hash % sets_.size()]; }

// A clock may have been set back since.
bool StatsCache::is_alive(std::int64_t asked_at, base::Time now) const {
  return std::chrono::abs(now.time_since_epoch() - std::chrono::microseconds(asked_at)) < life_;
}

std::optional<std::size_t> StatsCache::position_of(const Set& set, const Key& key) {
  for (std::size_t i = 0; i < Set::kPlaces; ++i) {
    if (set.objects[i].load(memory_order_acquire) != key.hash) continue;
    const Place& place = set.places[i];
    const bool is_void = place.invalidated.load(memory_order_acquire) != set.invalidated;
    if (!is_void && place.object_id.load(memory_order_acquire) == key.object_id) return i;
  }
  return std::nullopt;
}

StatsCache::Record StatsCache::record_in(const Place& place) {
  Record record;
  for (std::size_t i = 0; i < record.versions.size(); ++i) {
    record.versions[i] = place.versions[i].load(memory_order_acquire);
  }
  for (std::size_t i = 0; i < record.words.size(); ++i) {
    record.words[i] = place.words[i].load(memory_order_acquire);
  }
  return record;
}

StatsCache::Order StatsCache::order_of(const Record& record, const Record& kept) {
  bool is_newer = false;
  bool is_older = false;
  for (std::size_t i = 0; i < record.versions.size(); ++i) {
    is_newer |= record.versions[i] > kept.versions[i];
    is_older |= record.versions[i] < kept.versions[i];
  }
  if (is_newer != is_older) return is_newer ? Order::newer : Order::older;
  return record == kept ? Order::equal : Order::unknown;
}

// The place that a new record takes: a free one, else that of the oldest.
std::size_t StatsCache::place_to_take(const Set& set) {
  const auto age = [&](std::size_t i) {
    const bool is_free = set.objects[i].load(memory_order_relaxed) == 0 ||
                         set.places[i].invalidated.load(memory_order_relaxed) != set.invalidated;
    return is_free ? 0 : set.places[i].asked_at.load(memory_order_relaxed);
  };
  std::size_t oldest = 0;
  for (std::size_t i = 1; i < Set::kPlaces; ++i) {
    if (age(i) < age(oldest)) oldest = i;
  }
  return oldest;
}

// REQUIRES: the set is locked. Who reads any of these words sees that it is.
void StatsCache::put(Set& set, std::size_t position, const Key& key, const Record& record,
                     const Ticket& ticket) {
  Place& place = set.places[position];
  const auto asked_at = static_cast<std::uint64_t>(ticket.asked_at.time_since_epoch().count());
  set.objects[position].store(key.hash, memory_order_release);
  place.object_id.store(key.object_id, memory_order_release);
  place.invalidated.store(ticket.invalidated, memory_order_release);
  place.asked_at.store(asked_at, memory_order_release);
  for (std::size_t i = 0; i < record.versions.size(); ++i) {
    place.versions[i].store(record.versions[i], memory_order_release);
  }
  for (std::size_t i = 0; i < record.words.size(); ++i) {
    place.words[i].store(record.words[i], memory_order_release);
  }
}

std::filesystem::path stats_cache_path(const config::Config& config, unsigned megabytes) {
  return config::segment_path(config, "stats 1, MiB: " + std::to_string(megabytes));
}

}  // namespace rollups
