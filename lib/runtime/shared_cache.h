#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/crypto.h"
#include "runtime/shared_memory.h"

namespace runtime {

// DESIGN. Determines how long cached records that this host has read from the database are valid. A
// record is valid for the "ttl", and longer as long as no other host or command changes the
// database. Each second, one process on this host looks for such changes
// (rollups/foreign_changes.h). If the process finds no changes, it confirms the epoch. Otherwise,
// it begins the next epoch. A record belongs to the epoch in which it was looked up, before the
// database was read. A record is valid
//
//   - for the ttl after its lookup, or
//   - while its epoch lasts: for the ttl after the start of the last check that confirmed the
//     epoch, but at most for kMaxAge after the record's lookup.
//
// So this host sees another host's commit within the ttl, just as it would without epochs, because
// every check that starts after the commit finds the change and begins a new epoch. Earlier records
// do not belong to the new epoch.
//
// A record that was read from another database server belongs to no epoch, because the checks of
// this server cannot confirm it.
//
// The state is one word, so it needs no lock. It contains the epoch's number (16 bits, 0 before the
// first epoch) and the time of its last confirmation, in microseconds of uptime (48 bits, 8 years).
// Only the process that began or last confirmed an epoch may confirm it, because no other process
// knows the results of its last check.
//
// Safe for concurrent use by all processes that share the memory.
class CacheEpoch {
 public:
  static constexpr std::chrono::seconds kMaxAge{60};

  // The initial state is zeros.
  struct Shared {
    alignas(64) std::atomic<std::uint64_t> state;
    std::atomic<std::uint64_t> server;
  };

  explicit CacheEpoch(Shared& shared) : shared_(shared) {}

  // The time and epoch of a record's lookup.
  using Stamp = std::uint64_t;
  [[nodiscard]] Stamp stamp(base::Uptime now) const {
    return (shared_.state.load(std::memory_order_acquire) & ~kTime) | time_word(now);
  }
  // Returns the stamp for a record that was read from "server". "server" is the hash of a server's
  // name.
  [[nodiscard]] Stamp stamp_of(Stamp looked_up, std::uint64_t server) const {
    return shared_.server.load(std::memory_order_acquire) == server ? looked_up : looked_up & kTime;
  }
  [[nodiscard]] static base::Uptime looked_up_at(Stamp stamp) { return time_in(stamp); }

  [[nodiscard]] bool is_valid(Stamp stamp, base::Uptime now, base::Uptime ttl) const {
    const base::Uptime age = now - time_in(stamp);
    if (age < ttl) return true;
    const State state = shared_.state.load(std::memory_order_acquire);
    return stamp > kTime && (stamp & ~kTime) == (state & ~kTime) && age < kMaxAge &&
           now - time_in(state) < ttl;
  }

  // The functions below are for the process that looks for foreign changes.
  using State = std::uint64_t;
  [[nodiscard]] State state() const { return shared_.state.load(std::memory_order_acquire); }
  [[nodiscard]] static base::Uptime confirmed_at(State state) { return time_in(state); }

  // Confirm the epoch, or begin the next epoch. "start" is the time at which the check of "server"
  // began. Both functions return the new state. They return nothing if another process has changed
  // the state since "known".
  std::optional<State> confirm(State known, base::Uptime start, std::uint64_t server) {
    if (shared_.server.load() != server) return begin_next(known, start, server);
    const auto confirmed = changed(known, (known & ~kTime) | time_word(start));
    // Another process may be changing the state and the server at this moment.
    if (!confirmed || shared_.server.load() == server) return confirmed;
    return begin_next(*confirmed, start, server);
  }
  std::optional<State> begin_next(State known, base::Uptime start, std::uint64_t server) {
    constexpr State kFirst = kTime + 1;
    const State next = (known & ~kTime) + kFirst;
    if (shared_.state.load() != known) return std::nullopt;
    shared_.server.store(server, std::memory_order_release);
    return changed(known, (next > kTime ? next : kFirst) | time_word(start));
  }

 private:
  static constexpr unsigned kTimeBits = 48;
  static constexpr std::uint64_t kTime = (1ULL << kTimeBits) - 1;

  static std::uint64_t time_word(base::Uptime time) {
    return static_cast<std::uint64_t>(time.count()) & kTime;
  }
  static base::Uptime time_in(std::uint64_t word) {
    return base::Uptime(static_cast<std::int64_t>(word & kTime));
  }
  std::optional<State> changed(State known, State next) {
    if (shared_.state.compare_exchange_strong(known, next)) return next;
    return std::nullopt;
  }

  Shared& shared_;
};

// Returns whether no process with this id exists in this PID namespace.
[[nodiscard]] bool has_died(std::uint64_t process);

// The processes that update a cache with their own commits (SharedCache). For each process, the
// object contains the number of its writer and the sequence of the last commit that the cache
// contains. The process that looks for foreign changes (rollups/foreign_changes.h) compares these
// numbers with the database to find out which commits the cache already contains.
//
// If running processes hold all places, the commits of all other writers are treated like commits
// by another host.
//
// Each object must be used by only one thread, except that any thread may call published().
class CacheWriters {
 public:
  // The initial state is zeros.
  struct Place {
    std::atomic<std::uint64_t> process, writer, sequence;
  };
  struct Shared {
    static constexpr std::size_t kPlaces = 64;
    alignas(64) std::array<Place, kPlaces> places;
  };

  explicit CacheWriters(Shared& shared) : shared_(shared) {}
  CacheWriters(const CacheWriters&) = delete;
  CacheWriters& operator=(const CacheWriters&) = delete;
  ~CacheWriters() { end(); }

  // Registers this process as "writer", which has not committed anything yet.
  void begin(std::uint64_t writer);
  // Declares that the cache contains all of the writer's commits up to "sequence".
  void publish(std::uint64_t sequence);
  // Declares that the cache may lack commits by the writer from now on.
  void end();

  // Returns the published sequence number of each writer.
  [[nodiscard]] std::map<std::uint64_t, std::uint64_t> published() const;

 private:
  Shared& shared_;
  std::optional<std::size_t> place_;
};

// DESIGN. A cache in shared memory for data that the database stores, such as the data about
// objects and voters. Readers take no lock and make no system call. CacheEpoch determines how long
// a record is valid.
//
// Guarantee: no client on this host reads an older state of the same data after a newer state. A
// client that has changed the data reads its own change. Readers and writers must follow two rules:
//
//   Reader:  find(); on a miss, read the database in one statement, then fill(), then answer.
//   Writer:  commit; then act as a reader after a miss, or call invalidate(); then answer.
//            Or, if records have versions: begin_fill(), read in the transaction that holds the
//            locks of the change, commit, fill(), then answer.
//            Or: find() before that transaction, commit, replace(), then answer.
//
// runtime/shared_cache.md explains why these rules are sufficient. A table in that file shows who
// may change a record, and when.
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
  // one is higher. The versions are zero if the records have no versions. The code that uses the
  // cache defines the meaning of the words.
  struct Record {
    std::array<std::uint64_t, kVersions> versions{};
    std::array<std::uint64_t, kWords> words{};

    bool operator==(const Record&) const = default;
  };

  // The state of a set when a lookup begins. fill() uses this state to detect changes since the
  // lookup.
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

  // Records are valid for "ttl", or longer if their epoch lasts longer (CacheEpoch). If "ttl" is 0,
  // the cache never finds a record. "memory" and "clock" must outlive the cache. REQUIRES: the part
  // has room for at least one set.
  SharedCache(const SharedMemory& memory, Part part, base::Uptime ttl, const base::Clock& clock)
      : SharedCache(memory.as<Header>(), memory, part, ttl, clock) {}
  // Creates a cache with a separate header. Caches with different headers can share "memory", but
  // do not find each other's records.
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
  // store the record if the set has changed since the lookup in a way that may make the record
  // outdated. "server" is a hash of the database server's name, or 0 if the server is unknown.
  void fill(const Key& key, const Record& record, const CasToken& token, std::uint64_t server = 0);

  // Returns whether both keys are in the same set. If so, a change to either key invalidates the
  // tokens for both.
  [[nodiscard]] bool share_set(const Key& one, const Key& other) const {
    return &set_of(hashed(one)) == &set_of(hashed(other));
  }

  // Returns "token" after updating it for the caller's own fill() in the same set. If others have
  // changed the set, too, the result is outdated, and fill() detects this.
  [[nodiscard]] static CasToken after_fill(const CasToken& token);

  // Replaces a record with its state after a committed change. "token" was set by the call of
  // find() that returned the old record. The new record expires when the old record would have
  // expired. Removes the record for "key" if the set has changed since "token" or if "record" is
  // empty. Afterwards, fill() rejects tokens that are older than this call. REQUIRES: "record"
  // contains everything that the transaction has read.
  void replace(const Key& key, const std::optional<Record>& record, const CasToken& token);

  // Removes all records in the set that contains "key". Afterwards, fill() rejects tokens that are
  // older than this call.
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
