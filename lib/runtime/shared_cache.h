#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/keyed_hash.h"
#include "runtime/cache_epoch.h"
#include "runtime/shared_memory.h"

namespace runtime {

// DESIGN. A cache of what the database holds about things such as objects or voters, in shared
// memory. Readers take no lock and make no system call. runtime/cache_epoch.h says how long a record
// is valid.
//
// Guarantee: no client on this host reads an older state of a thing after a newer one, and a writer
// that has changed a thing reads the change. This needs two rules:
//
//   Reader:  find(); on a miss, read the database in one statement, then fill(), then answer.
//   Writer:  commit; then act as a reader after a miss, or call invalidate(); then answer.
//            Or, if records have versions: begin_fill(), read in the transaction that holds the
//            locks of the change, commit, fill(), then answer.
//            Or: find() before that transaction, commit, replace(), then answer.
//
// runtime/shared_cache.md, beside this file, explains why the rules suffice. Its table says who may
// change a record, and when.
//
// Safe for concurrent use by all processes of one process id namespace that share the memory.
class SharedCache {
 public:
  static constexpr std::size_t kVersions = 3;
  static constexpr std::size_t kWords = 22;

  // What a record is about: a number, and a text of up to 64 bytes.
  struct Key {
    std::uint64_t id = 0;
    std::string_view name;
  };

  // A cached state. It is newer than another one if none of its versions is lower and at least one
  // is higher; zeros if there are no versions. The users of the cache define the words.
  struct Record {
    std::array<std::uint64_t, kVersions> versions{};
    std::array<std::uint64_t, kWords> words{};

    bool operator==(const Record&) const = default;
  };

  // The state of the set at a lookup, with which fill() sees what has changed since.
  struct CasToken {
    std::uint64_t lock = 0;
    std::uint64_t invalidated = 0;
    CacheEpoch::Stamp looked_up = 0;
  };

  // The layout of the shared memory. Zeros are an empty cache.
  struct Header {
    alignas(64) base::SharedKey key;
    CacheEpoch::Shared epoch;
    CacheWriters::Shared writers;
  };
  struct Slot {
    std::atomic<std::uint64_t> id, invalidated, looked_up;
    std::array<std::atomic<std::uint64_t>, kVersions> versions;
    std::array<std::atomic<std::uint64_t>, kWords> words;
  };
  struct alignas(64) Set {
    static constexpr std::size_t kSlots = 6;
    std::atomic<std::uint64_t> lock;
    std::atomic<std::uint64_t> invalidated;               // number of invalidations
    std::array<std::atomic<std::uint64_t>, kSlots> keys;  // hashes; 0: empty
    std::array<Slot, kSlots> slots;
  };

  // One of several equal parts of a segment, each for a cache of its own.
  struct Part {
    std::size_t number = 0, of = 1;
  };

  // Records are valid for "ttl", or longer with the epoch; 0: nothing is ever found. "memory" and
  // "clock" must outlive the cache. REQUIRES: "part" of the memory has room for a set.
  SharedCache(const SharedMemory& memory, Part part, base::Uptime ttl, const base::Clock& clock)
      : SharedCache(memory.as<Header>(), memory, part, ttl, clock) {}
  // The same with a header of its own: caches with different headers share the room in "memory",
  // and find nothing of each other.
  SharedCache(Header& header, const SharedMemory& memory, Part part, base::Uptime ttl,
              const base::Clock& clock);
  // The same for memory of another kind. REQUIRES: at least one set.
  SharedCache(Header& header, std::span<Set> sets, base::Uptime ttl, const base::Clock& clock);

  // The record of "key". On a miss, and if the database must be read nevertheless, "token" is for
  // fill().
  [[nodiscard]] std::optional<Record> find(const Key& key, CasToken& token) const;

  // The same, also if the record is no longer valid.
  [[nodiscard]] std::optional<Record> find_expired(const Key& key) const;

  // A token for fill(), without a lookup.
  [[nodiscard]] CasToken begin_fill(const Key& key) const;

  // Stores what was read about "key" after the lookup that gave "token", unless it is outdated.
  // "server" is a hash of the name of the server that was read; 0: unknown.
  void fill(const Key& key, const Record& record, const CasToken& token, std::uint64_t server = 0);

  // Whether a change of one of the keys is also a change of the set of the other.
  [[nodiscard]] bool share_set(const Key& one, const Key& other) const {
    return &set_of(hashed(one)) == &set_of(hashed(other));
  }

  // "token" of a set, as it is after a fill() of its caller in this set, unless others have changed
  // the set, too.
  [[nodiscard]] static CasToken after_fill(const CasToken& token);

  // Stores the record that find() gave with "token", as a committed change has made it; the record
  // is valid no longer than before. If its set has changed since, or if "record" is empty, removes
  // the record of "key". Rejects a fill() with an earlier token. REQUIRES: "record" contains
  // everything that the transaction has read.
  void replace(const Key& key, const std::optional<Record>& record, const CasToken& token);

  // Removes the records of the set of "key", and rejects a fill() with an earlier token.
  void invalidate(const Key& key);

  // The same for all keys.
  void clear();

  // Whether records are ever found.
  [[nodiscard]] bool is_enabled() const { return ttl_.count() > 0; }

  [[nodiscard]] base::Uptime ttl() const { return ttl_; }

  // The hash by which all caches of the segment distinguish keys; clients cannot find keys with
  // equal hashes. Never 0.
  [[nodiscard]] std::uint64_t hash_of(const Key& key) const;

 private:
  class Lock;
  struct HashedKey {
    std::uint64_t hash, id;
  };
  enum class Order { equal, newer, older, unknown };

  HashedKey hashed(const Key& key) const { return {hash_of(key), key.id}; }
  Set& set_of(const HashedKey& key) const;
  [[nodiscard]] bool is_valid_at(const Slot& slot, base::Uptime now) const;
  [[nodiscard]] CasToken token_of(const Set& set, base::Uptime now) const;
  [[nodiscard]] std::optional<Record> find(const Key& key, CasToken& token,
                                           bool takes_expired) const;
  static std::optional<std::size_t> position_of(const Set& set, const HashedKey& key);
  static Record record_in(const Slot& slot);
  static Order order_of(const Record& record, const Record& stored);
  static std::size_t slot_to_replace(const Set& set);
  static void put(Set& set, std::size_t position, const HashedKey& key, const Record& record,
                  const CasToken& token);

  const base::KeyedHash hash_;
  const CacheEpoch epoch_;
  const std::span<Set> sets_;
  const base::Uptime ttl_;
  const base::Clock& clock_;
  const std::uint64_t process_;
};

}  // namespace runtime
