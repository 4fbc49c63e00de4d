#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/keyed_hash.h"
#include "base/shared_memory.h"
#include "config/config.h"
#include "model/rating.h"

namespace rollups {

// DESIGN. A cache of what the database holds about objects, in shared memory, with a short time to
// live. Readers take no lock and make no system call.
//
// Guarantee: no client on this host reads an older state of an object after a newer one, and a
// writer that has changed an object reads the change. This needs two rules:
//
//   Reader:  find(); on a miss, read the database in one statement, then fill(), then answer.
//   Writer:  commit; then act as a reader after a miss, or call invalidate(); then answer. Or: take
//   a
//            ticket, read in the transaction that holds the locks of the change, commit, fill(),
//            then answer.
//
// The guarantee holds because fill() never leaves a record that is older than the given one:
//  - A record is put into an empty slot only if its set has not changed since the lookup before the
//    database was read. So a slow reader cannot store its record after a newer one, which may have
//    been evicted meanwhile.
//  - A stored record is replaced by a newer one, and stays if it is newer itself. The versions of
//    the rows decide which is newer. If they do not, the stored record is removed.
// So a record is never older than any answer that this host has given, and it contains what a
// writer has committed, or it is removed. While a commit is running, the state before it is still
// answered: a reader that has seen the new state has stored it here before it answered. A writer
// announces nothing in advance. So a writer that dies, or that does not know whether its commit
// took place, leaves nothing to clean up. Commits of other hosts become visible when a record
// expires. The same holds for changes that lower versions, unless their writer calls invalidate()
// or clear().
//
// A set holds six records in any order. Changing a set needs its lock, which is one word: a
// sequence number, which shows readers that their copy is consistent, and the process id of the
// owner, which shows others that the owner has died. Then the next process takes the lock over and
// empties the set. If a living process holds the lock for long, others do not wait: they invalidate
// all records of the set, which needs no lock. A new record replaces the oldest one.
//
// Safe for concurrent use by all processes of one process id namespace that share the memory.
class StatsCache {
 public:
  static constexpr std::size_t kWords = 22;

  // The cached state of an object. A state is newer than another one if none of its versions is
  // lower and at least one is higher. StatsStore defines the words.
  struct Record {
    std::array<std::uint64_t, model::kCategories.size()> versions{};
    std::array<std::uint64_t, kWords> words{};

    bool operator==(const Record&) const = default;
  };

  // The state of the set at a lookup.
  struct Ticket {
    std::uint64_t lock = 0;
    std::uint64_t invalidated = 0;
    base::Time looked_up_at;
  };

  // The layout of the shared memory. Zeros are an empty cache.
  struct Header {
    alignas(64) base::SharedKey key;
  };
  struct Slot {
    std::atomic<std::uint64_t> object_id, invalidated, looked_up_at;
    std::array<std::atomic<std::uint64_t>, model::kCategories.size()> versions;
    std::array<std::atomic<std::uint64_t>, kWords> words;
  };
  struct alignas(64) Set {
    static constexpr std::size_t kSlots = 6;
    std::atomic<std::uint64_t> lock;
    std::atomic<std::uint64_t> invalidated;                  // number of invalidations
    std::array<std::atomic<std::uint64_t>, kSlots> objects;  // hashes; 0: empty
    std::array<Slot, kSlots> slots;
  };

  // Records expire after "ttl". "memory" must outlive the cache. REQUIRES: it has room for a set.
  StatsCache(const base::SharedMemory& memory, std::chrono::microseconds ttl);
  // The same for memory of another kind. REQUIRES: at least one set.
  StatsCache(base::SharedKey& key, std::span<Set> sets, std::chrono::microseconds ttl);

  // The record of "object". On a miss, "ticket" is for fill(). An object with an empty type is an
  // id without a type.
  [[nodiscard]] std::optional<Record> find(const model::Object& object, base::Time now,
                                           Ticket& ticket) const;

  // A ticket for fill(), without a lookup.
  [[nodiscard]] Ticket take_ticket(const model::Object& object, base::Time now) const;

  // Stores what was read about "object" after the lookup that gave "ticket", unless it is outdated.
  void fill(const model::Object& object, const Record& record, const Ticket& ticket);

  // Removes the records of the set of "object", and rejects a fill() with an earlier ticket.
  void invalidate(const model::Object& object);

  // The same for all objects.
  void clear();

 private:
  class Lock;
  struct Key {
    std::uint64_t hash, object_id;
  };
  enum class Order { equal, newer, older, unknown };

  Key key_of(const model::Object& object) const;
  Set& set_of(const Key& key) const;
  bool is_alive(std::int64_t looked_up_at, base::Time now) const;
  static std::optional<std::size_t> position_of(const Set& set, const Key& key);
  static Record record_in(const Slot& slot);
  static Order order_of(const Record& record, const Record& stored);
  static std::size_t slot_to_replace(const Set& set);
  static void put(Set& set, std::size_t position, const Key& key, const Record& record,
                  const Ticket& ticket);

  const base::KeyedHash hash_;
  const std::span<Set> sets_;
  const std::chrono::microseconds ttl_;
  const std::uint64_t process_;
};

// The path of the shared memory segment with a size of "megabytes". When no worker runs, segments
// of all sizes may be deleted.
[[nodiscard]] std::filesystem::path stats_cache_path(const config::Config& config,
                                                     unsigned megabytes);

}  // namespace rollups
