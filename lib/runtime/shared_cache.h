#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/crypto.h"
#include "runtime/cache_epoch.h"
#include "runtime/shared_memory.h"

namespace runtime {

// DESIGN. A cache in shared memory for things that the database stores, such as objects and voters.
// Readers take no lock and make no system call. runtime/cache_epoch.h says how long a record is
// valid.
//
// Guarantee: no client on this host reads an older state of the same data after a newer state. A
// client that has changed a thing reads this change. Readers and writers must follow two rules:
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
// Safe for concurrent use by all processes that share the memory, if they are in the same PID
// namespace.
class SharedCache {
 public:
  static constexpr std::size_t kVersions = 3;
  static constexpr std::size_t kWords = 22;

  // A record's key: a number, and a string of up to 64 bytes.
  struct Key {
    std::uint64_t id = 0;
    std::string_view name;
  };

  // A cached state. One record is newer than another if none of its versions is lower and at least
  // one is higher. The versions are zero if the records have no versions. The users of the cache
  // define the words.
  struct Record {
    std::array<std::uint64_t, kVersions> versions{};
    std::array<std::uint64_t, kWords> words{};

    bool operator==(const Record&) const = default;
  };

  // The state of a set when a lookup begins. With it, fill() detects changes since the lookup.
  struct CasToken {
    std::uint64_t lock = 0;
    std::uint64_t invalidated = 0;
    CacheEpoch::Stamp looked_up = 0;
  };

  // The layout of the shared memory. An empty cache consists of zeros.
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
    std::array<std::atomic<std::uint64_t>, kSlots> keys;  // hashes; 0 is an empty slot
    std::array<Slot, kSlots> slots;
  };

  // One of several equal parts of a segment. Each part contains a separate cache.
  struct Part {
    std::size_t number = 0, of = 1;
  };

  // Records are valid for "ttl", or longer if their epoch lasts (runtime/cache_epoch.h). If "ttl"
  // is 0, the cache finds nothing. "memory" and "clock" must outlive the cache. REQUIRES: the part
  // has room for at least one set.
  SharedCache(const SharedMemory& memory, Part part, base::Uptime ttl, const base::Clock& clock)
      : SharedCache(memory.as<Header>(), memory, part, ttl, clock) {}
  // Creates a cache with a separate header. Caches with different headers can share the room in
  // "memory", and do not find each other's records.
  SharedCache(Header& header, const SharedMemory& memory, Part part, base::Uptime ttl,
              const base::Clock& clock);
  // Creates a cache in another kind of memory. REQUIRES: there is at least one set.
  SharedCache(Header& header, std::span<Set> sets, base::Uptime ttl, const base::Clock& clock);

  // Returns the record for "key", or nothing if there is no valid record. Sets "token" for a later
  // fill(), which is necessary on a miss and allowed after a hit.
  [[nodiscard]] std::optional<Record> find(const Key& key, CasToken& token) const;

  // Returns the record for "key" even if the record has expired.
  [[nodiscard]] std::optional<Record> find_expired(const Key& key) const;

  // Returns a token for fill() without a lookup.
  [[nodiscard]] CasToken begin_fill(const Key& key) const;

  // Stores a record that was read from the database after the lookup that set "token". Does not
  // store it if the set has changed since in a way that may make the record outdated. "server" is a
  // hash of the database server's name, or 0 if the server is unknown.
  void fill(const Key& key, const Record& record, const CasToken& token, std::uint64_t server = 0);

  // Returns whether both keys are in the same set. If so, a change to either key invalidates the
  // tokens for both.
  [[nodiscard]] bool share_set(const Key& one, const Key& other) const {
    return &set_of(hashed(one)) == &set_of(hashed(other));
  }

  // Returns "token" updated for the caller's own fill() in the same set. If others have changed the
  // set too, the result is outdated, and fill() detects this.
  [[nodiscard]] static CasToken after_fill(const CasToken& token);

  // Replaces a record by its state after a committed change. find() has returned the old record
  // together with "token". The new record expires when the old one would have expired. Removes the
  // record for "key" if the set has changed since "token" or if "record" is empty. Later, fill()
  // rejects tokens that are older than this call. REQUIRES: "record" contains everything that the
  // transaction has read.
  void replace(const Key& key, const std::optional<Record>& record, const CasToken& token);

  // Removes all records in the set that contains "key". Later, fill() rejects tokens that are older
  // than this call.
  void invalidate(const Key& key);

  // Does the same as invalidate() for all sets.
  void clear();

  // Returns whether the cache can find anything, that is, whether the ttl is above 0.
  [[nodiscard]] bool is_enabled() const { return ttl_.count() > 0; }

  [[nodiscard]] base::Uptime ttl() const { return ttl_; }

  // Returns the hash by which all caches in the segment distinguish keys. It is never 0. Clients
  // cannot find keys with equal hashes.
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
