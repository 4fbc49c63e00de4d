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

// DESIGN. CacheEpoch determines how long this host may use records read from the database. Each
// second, one process on the host checks for changes made by other hosts or by commands
// (rollups/foreign_changes.h). If the process finds no changes, the process confirms the current
// epoch. If it finds changes, it begins the next epoch. Each record belongs to
// the epoch that was current at the start of its lookup, that is, before the database was read.
// Each record is valid for the time to live (ttl) after its lookup. If a check confirms the epoch
// of a record, the record is valid until one ttl after the start of the check, but no longer than
// kMaxAge after its lookup.
//
// The first check after a commit by another host begins a new epoch, so earlier records are no
// longer confirmed. On this host, commits by other hosts therefore become visible within one ttl.
//
// In each epoch, only one database server is checked for changes. A record read from another server
// belongs to no epoch, because no check can confirm the record.
//
// The epoch's number and time are stored in a single word, so no lock is needed to change them. The
// state word contains the epoch's number (16 bits, 0 before the first epoch) and the time of the
// last confirmation, in microseconds of uptime (48 bits, 8 years). Only the process that began or
// last confirmed the epoch may confirm it, because no other process knows the result of the last
// check.
//
// All processes that share the memory may use the epoch concurrently.
class CacheEpoch {
 public:
  static constexpr std::chrono::seconds kMaxAge{60};

  // The initial value of all members is 0.
  struct Shared {
    alignas(64) std::atomic<std::uint64_t> state;
    std::atomic<std::uint64_t> server;
  };

  explicit CacheEpoch(Shared& shared) : shared_(shared) {}

  // The time of a record's lookup, together with the epoch that was current at that time.
  using Stamp = std::uint64_t;
  [[nodiscard]] Stamp stamp(base::Uptime now) const {
    return (shared_.state.load(std::memory_order_acquire) & ~kTime) | time_word(now);
  }
  // Returns "looked_up", but without the epoch if the current epoch is for a database server other
  // than "server". "server" is a hash of the server's name.
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

  // The following functions are for the process that checks for changes by other hosts.
  using State = std::uint64_t;
  [[nodiscard]] State state() const { return shared_.state.load(std::memory_order_acquire); }
  [[nodiscard]] static base::Uptime confirmed_at(State state) { return time_in(state); }

  // After a check of the database server, confirm() confirms the current epoch, and begin_next()
  // begins the next epoch. "start" is the time at which the process began checking the database
  // server for changes. Both confirm() and begin_next() return the new state, or nothing if another
  // process has changed the state "known" in the meantime.
  std::optional<State> confirm(State known, base::Uptime start, std::uint64_t server) {
    if (shared_.server.load() != server) return begin_next(known, start, server);
    const auto confirmed = changed(known, (known & ~kTime) | time_word(start));
    // Check again, because another process may have begun an epoch for a different server.
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

// Returns whether the process with the id "process" no longer exists in the current PID namespace.
[[nodiscard]] bool has_died(std::uint64_t process);

// Stores which commits by this host's processes are already in the cache (SharedCache). For each
// process, stores the number of the process's writer and the sequence of the last commit that the
// cache contains. The process that checks for changes by other hosts compares these sequences with
// the database (rollups/foreign_changes.h).
//
// At most 64 writers can be registered at a time. Commits by additional writers are treated like
// commits by other hosts.
//
// Only published() is thread-safe.
class CacheWriters {
 public:
  // The initial value of all members is 0.
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

  // Registers the writer of the current process, which must not have committed anything yet.
  void begin(std::uint64_t writer);
  // Call publish() once the cache contains all of the writer's commits up to "sequence".
  void publish(std::uint64_t sequence);
  // After a call to end(), the writer's new commits may be missing from the cache.
  void end();

  // For each writer, returns the sequence that was last passed to publish().
  [[nodiscard]] std::map<std::uint64_t, std::uint64_t> published() const;

 private:
  Shared& shared_;
  std::optional<std::size_t> place_;
};

// DESIGN. A cache in shared memory for data from the database, such as data about objects and
// voters. Readers acquire no lock and make no system call. The class CacheEpoch determines how long
// a record is valid.
//
// The cache guarantees that once a client on this host has read data, no client on this host reads
// an older version of the data. A client that has changed data always sees its own change.
//
// Readers and writers must follow the rules below. A reader calls find(). If the cache contains no
// valid record, the reader reads the data from the database with one statement and calls fill()
// before it responds. Between its commit and its response, a writer calls find() and fill() like a
// reader, or calls invalidate(). For records with versions, another option for a writer is to call
// begin_fill(), read the new data while its transaction holds the locks, commit, and then call
// fill(). To change an existing record, a writer may also call find() before its transaction and
// replace() after the commit.
//
// The file runtime/shared_cache.md explains these rules, and shows who may change a record and
// when.
//
// All processes that share the memory may use the cache concurrently if they are in the same PID
// namespace.
class SharedCache {
 public:
  static constexpr std::size_t kVersions = 3;
  static constexpr std::size_t kWords = 22;

  // The key of a record consists of a number and a string of up to 64 bytes.
  struct Key {
    std::uint64_t id = 0;
    std::string_view name;
  };

  // A snapshot of data from the database. Record A is newer than record B if at least one of A's
  // versions is higher than B's corresponding version and none is lower. All versions are 0 if the
  // data have no versions. The code that uses the cache defines the meaning of "words".
  struct Record {
    std::array<std::uint64_t, kVersions> versions{};
    std::array<std::uint64_t, kWords> words{};

    bool operator==(const Record&) const = default;
  };

  // The state of a set of records at the beginning of a lookup. A later call to fill() uses the
  // token to detect changes to the set.
  struct CasToken {
    std::uint64_t lock = 0;
    std::uint64_t invalidated = 0;
    CacheEpoch::Stamp looked_up = 0;
  };

  // The layout of the shared memory. An empty cache contains only zeros.
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
    std::atomic<std::uint64_t> invalidated;               // the number of invalidations
    std::array<std::atomic<std::uint64_t>, kSlots> keys;  // hashes; 0 is an empty slot
    std::array<Slot, kSlots> slots;
  };

  // Selects one of several equal parts of the shared memory, each of which contains a separate
  // cache.
  struct Part {
    std::size_t number = 0, of = 1;
  };

  // Records are valid for "ttl", or longer if their epoch is confirmed (CacheEpoch). If "ttl" is 0,
  // the cache never finds a record. "memory" and "clock" must outlive the cache. Each part of the
  // memory must have space for at least one set.
  SharedCache(const SharedMemory& memory, Part part, base::Uptime ttl, const base::Clock& clock)
      : SharedCache(memory.as<Header>(), memory, part, ttl, clock) {}
  // Creates a cache with the given header, which may lie outside "memory". Caches with different
  // headers may use the same memory, but cannot find each other's records.
  SharedCache(Header& header, const SharedMemory& memory, Part part, base::Uptime ttl,
              const base::Clock& clock);
  // Creates a cache that uses the memory of "sets". "sets" must not be empty.
  SharedCache(Header& header, std::span<Set> sets, base::Uptime ttl, const base::Clock& clock);

  // Returns the record for "key", or nothing if the cache contains no valid record. Also sets
  // "token" for a later call to fill().
  [[nodiscard]] std::optional<Record> find(const Key& key, CasToken& token) const;

  // Returns the record for "key" even if the record has expired.
  [[nodiscard]] std::optional<Record> find_expired(const Key& key) const;

  // Returns a token for a later call to fill(), but does not look up the record.
  [[nodiscard]] CasToken begin_fill(const Key& key) const;

  // Stores a record that was read from the database after find() or begin_fill() returned the token
  // "looked_up". Does nothing if the record may be outdated because the set has changed since the
  // lookup. "server" is a hash of the database server's name, or 0 if the server is unknown.
  void fill(const Key& key, const Record& record, const CasToken& looked_up,
            std::uint64_t server = 0);

  // Returns whether the records for both keys are stored in the same set. If two records are in the
  // same set, a change to one of them makes the tokens for both keys outdated.
  [[nodiscard]] bool share_set(const Key& one, const Key& other) const {
    return &set_of(hashed(one)) == &set_of(hashed(other));
  }

  // After fill() has used "token", returns a token for storing another record in the same set. If
  // any other call changes the set, fill() rejects the returned token.
  [[nodiscard]] static CasToken after_fill(const CasToken& token);

  // Replaces the record for "key" with "record" after a transaction has changed the data. "token"
  // must be the token returned by find() with the old record. The new record expires when the old
  // record would have expired. Removes the record for "key" if the set has changed since find() set
  // "token", or if "record" is empty. After replace(), fill() rejects all older tokens. "record"
  // must contain all data for "key" that the transaction has read.
  void replace(const Key& key, const std::optional<Record>& record, const CasToken& token);

  // Removes all records in the set of the key "key". After invalidate(), fill() rejects all older
  // tokens.
  void invalidate(const Key& key);

  // Removes all records, like a call to invalidate() for every key.
  void clear();

  // Returns whether the ttl is greater than 0. If the ttl is 0, the cache never finds a record.
  [[nodiscard]] bool is_enabled() const { return ttl_.count() > 0; }

  // Returns the hash that all caches in this memory use to look up "key". The hash is never 0.
  // Clients cannot predict which keys have equal hashes.
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
