#include "runtime/shared_cache.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace runtime {

bool has_died(std::uint64_t process) {
  return kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
}

void CacheWriters::begin(std::uint64_t writer) {
  end();
  for (std::size_t i = 0; i < shared_.places.size() && !place_; ++i) {
    Place& place = shared_.places[i];
    std::uint64_t owner = place.process;
    if (owner != 0 && !has_died(owner)) continue;
    const auto self = static_cast<std::uint64_t>(getpid());
    if (place.process.compare_exchange_strong(owner, self)) place_ = i;
  }
  if (!place_) return;
  Place& place = shared_.places[*place_];
  place.writer = 0;  // the slot may still contain the writer of a dead process
  place.sequence = 0;
  place.writer = writer;
}

void CacheWriters::publish(std::uint64_t sequence) {
  if (place_) shared_.places[*place_].sequence = sequence;
}

void CacheWriters::end() {
  if (!place_) return;
  shared_.places[*place_].writer = 0;
  shared_.places[*place_].process = 0;
  place_.reset();
}

std::map<std::uint64_t, std::uint64_t> CacheWriters::published() const {
  std::map<std::uint64_t, std::uint64_t> sequences;
  for (const Place& place : shared_.places) {
    const std::uint64_t writer = place.writer;
    const std::uint64_t sequence = place.sequence;
    if (writer != 0 && place.writer == writer) sequences[writer] = sequence;
  }
  return sequences;
}

// --- SharedCache ---------------------------------------------------------------------------------

namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using Word = std::atomic<std::uint64_t>;

static_assert(Word::is_always_lock_free);
static_assert(sizeof(SharedCache::Set) == 1408);

constexpr std::size_t kLongestName = 64;

// A lock word contains a sequence number and, in the low bits, the process id of the lock's owner.
// If the lock is free, the process id is 0.
constexpr unsigned kProcessBits = 22;  // the kernel's PID_MAX_LIMIT
constexpr std::uint64_t kProcess = (1ULL << kProcessBits) - 1;

std::uint64_t owner_of(std::uint64_t lock) { return lock & kProcess; }
std::uint64_t released(std::uint64_t lock) { return (lock | kProcess) + 1; }

std::span<SharedCache::Set> sets_of(SharedCache::Part part, std::span<SharedCache::Set> all) {
  assert(part.number < part.of);
  const std::size_t count = all.size() / part.of;
  return all.subspan(part.number * count, count);
}

}  // namespace

// Tries to lock a set of slots. After construction, is_held() returns whether the lock was
// acquired.
class SharedCache::Lock {
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

  // Returns the lock word as it was before the lock was acquired.
  [[nodiscard]] std::uint64_t before() const { return before_; }

 private:
  static constexpr int kSpins = 200;
  static constexpr int kTries = 300;

  // Takes over a lock whose owner process has died. Also empties the lock's set of records, because
  // the dead process may have left an incomplete record.
  void take_over(std::uint64_t& word, std::uint64_t process) {
    before_ = released(word);
    is_held_ = set_.lock.compare_exchange_strong(word, before_ | process);
    if (!is_held_) return;
    for (Word& key : set_.keys) key.store(0, memory_order_release);
  }

  Set& set_;
  bool is_held_ = false;
  std::uint64_t before_ = 0;
};

SharedCache::SharedCache(Header& header, const SharedMemory& memory, Part part, base::Uptime ttl,
                         const base::Clock& clock)
    : SharedCache(header, sets_of(part, memory.behind<Header, Set>()), ttl, clock) {}

SharedCache::SharedCache(Header& header, std::span<Set> sets, base::Uptime ttl,
                         const base::Clock& clock)
    : hash_(header.key),
      epoch_(header.epoch),
      sets_(sets),
      ttl_(ttl),
      clock_(clock),
      process_(static_cast<std::uint64_t>(getpid())) {
  assert(!sets.empty() && process_ <= kProcess);
}

std::optional<SharedCache::Record> SharedCache::find(const Key& key, CasToken& token) const {
  return find(key, token, false);
}

std::optional<SharedCache::Record> SharedCache::find_expired(const Key& key) const {
  CasToken token;
  return find(key, token, true);
}

std::optional<SharedCache::Record> SharedCache::find(const Key& key, CasToken& token,
                                                     bool takes_expired) const {
  constexpr int kTries = 4;  // after four attempts, reading the database is as fast
  const HashedKey hashed_key = hashed(key);
  const Set& set = set_of(hashed_key);
  const base::Uptime now = clock_.uptime();
  for (int attempt = 0; attempt < kTries; ++attempt) {
    token = token_of(set, now);
    if (owner_of(token.lock) != 0) continue;
    const auto position = position_of(set, hashed_key);
    if (!position) return std::nullopt;
    const Slot& slot = set.slots[*position];
    const bool is_valid = is_valid_at(slot, now);
    const Record record = record_in(slot);
    if (set.lock.load(memory_order_relaxed) != token.lock) continue;
    if (!takes_expired && !is_valid) return std::nullopt;
    return record;
  }
  return std::nullopt;
}

bool SharedCache::is_valid_at(const Slot& slot, base::Uptime now) const {
  return is_enabled() && epoch_.is_valid(slot.looked_up.load(memory_order_acquire), now, ttl_);
}

SharedCache::CasToken SharedCache::begin_fill(const Key& key) const {
  return token_of(set_of(hashed(key)), clock_.uptime());
}

SharedCache::CasToken SharedCache::token_of(const Set& set, base::Uptime now) const {
  return {set.lock.load(memory_order_acquire), set.invalidated.load(memory_order_acquire),
          epoch_.stamp(now)};
}

void SharedCache::fill(const Key& key, const Record& record, const CasToken& looked_up,
                       std::uint64_t server) {
  CasToken token = looked_up;
  token.looked_up = epoch_.stamp_of(token.looked_up, server);
  const HashedKey hashed_key = hashed(key);
  Set& set = set_of(hashed_key);
  const Lock lock(set, process_);
  if (!lock.is_held()) {
    ++set.invalidated;
    return;
  }
  const bool is_valid = set.invalidated == token.invalidated;
  const auto position = position_of(set, hashed_key);
  const Order order = position ? order_of(record, record_in(set.slots[*position])) : Order::unknown;
  if (is_valid && lock.before() == token.lock) {
    // If the cached record is newer, keep it, because the database server that returned "record"
    // may lag behind other servers.
    if (order == Order::older && is_valid_at(set.slots[*position], clock_.uptime())) return;
    put(set, position.value_or(slot_to_replace(set)), hashed_key, record, token);
    return;
  }
  if (!position) return;
  if (order == Order::newer && is_valid) {
    put(set, *position, hashed_key, record, token);
  } else if (order == Order::newer || order == Order::unknown) {
    set.keys[*position].store(0, memory_order_release);
  }
}

SharedCache::CasToken SharedCache::after_fill(const CasToken& token) {
  return {released(token.lock), token.invalidated, token.looked_up};
}

void SharedCache::replace(const Key& key, const std::optional<Record>& record,
                          const CasToken& token) {
  const HashedKey hashed_key = hashed(key);
  Set& set = set_of(hashed_key);
  const Lock lock(set, process_);  // each call to fill() detects this lock even if nothing changes
  if (!lock.is_held()) {
    ++set.invalidated;
    return;
  }
  const auto position = position_of(set, hashed_key);
  if (!position) return;
  if (record && lock.before() == token.lock && set.invalidated == token.invalidated) {
    const CacheEpoch::Stamp looked_up = set.slots[*position].looked_up;
    put(set, *position, hashed_key, *record, {token.lock, token.invalidated, looked_up});
  } else {
    set.keys[*position].store(0, memory_order_release);
  }
}

void SharedCache::invalidate(const Key& key) { ++set_of(hashed(key)).invalidated; }

void SharedCache::clear() {
  for (Set& set : sets_) ++set.invalidated;
}

std::uint64_t SharedCache::hash_of(const Key& key) const {
  assert(key.name.size() <= kLongestName);
  std::array<char, sizeof key.id + kLongestName> message;
  std::memcpy(message.data(), &key.id, sizeof key.id);
  std::memcpy(message.data() + sizeof key.id, key.name.data(), key.name.size());
  return std::max<std::uint64_t>(1, hash_({message.data(), sizeof key.id + key.name.size()}));
}

SharedCache::Set& SharedCache::set_of(const HashedKey& key) const {
  return sets_[key.hash % sets_.size()];
}

std::optional<std::size_t> SharedCache::position_of(const Set& set, const HashedKey& key) {
  for (std::size_t i = 0; i < Set::kSlots; ++i) {
    if (set.keys[i].load(memory_order_acquire) != key.hash) continue;
    const Slot& slot = set.slots[i];
    const bool is_invalidated = slot.invalidated.load(memory_order_acquire) != set.invalidated;
    if (!is_invalidated && slot.id.load(memory_order_acquire) == key.id) return i;
  }
  return std::nullopt;
}

SharedCache::Record SharedCache::record_in(const Slot& slot) {
  Record record;
  for (std::size_t i = 0; i < record.versions.size(); ++i) {
    record.versions[i] = slot.versions[i].load(memory_order_acquire);
  }
  for (std::size_t i = 0; i < record.words.size(); ++i) {
    record.words[i] = slot.words[i].load(memory_order_acquire);
  }
  return record;
}

SharedCache::Order SharedCache::order_of(const Record& record, const Record& stored) {
  bool is_newer = false;
  bool is_older = false;
  for (std::size_t i = 0; i < record.versions.size(); ++i) {
    is_newer |= record.versions[i] > stored.versions[i];
    is_older |= record.versions[i] < stored.versions[i];
  }
  if (is_newer != is_older) return is_newer ? Order::newer : Order::older;
  return record == stored ? Order::equal : Order::unknown;
}

// Returns the index of an empty slot for a new record. If no slot is empty, returns the index of
// the slot with the oldest record.
std::size_t SharedCache::slot_to_replace(const Set& set) {
  const auto age = [&](std::size_t i) {
    const bool is_free = set.keys[i].load(memory_order_relaxed) == 0 ||
                         set.slots[i].invalidated.load(memory_order_relaxed) != set.invalidated;
    if (is_free) return base::Uptime(0);
    return CacheEpoch::looked_up_at(set.slots[i].looked_up.load(memory_order_relaxed));
  };
  std::size_t oldest = 0;
  for (std::size_t i = 1; i < Set::kSlots; ++i) {
    if (age(i) < age(oldest)) oldest = i;
  }
  return oldest;
}

// Writes a record to a slot of a locked set. All stores use release order, so a reader that sees
// any of the new words also sees the lock.
void SharedCache::put(Set& set, std::size_t position, const HashedKey& key, const Record& record,
                      const CasToken& token) {
  Slot& slot = set.slots[position];
  set.keys[position].store(key.hash, memory_order_release);
  slot.id.store(key.id, memory_order_release);
  slot.invalidated.store(token.invalidated, memory_order_release);
  slot.looked_up.store(token.looked_up, memory_order_release);
  for (std::size_t i = 0; i < record.versions.size(); ++i) {
    slot.versions[i].store(record.versions[i], memory_order_release);
  }
  for (std::size_t i = 0; i < record.words.size(); ++i) {
    slot.words[i].store(record.words[i], memory_order_release);
  }
}

}  // namespace runtime
