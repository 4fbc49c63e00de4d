#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

#include "base/clock.h"

namespace runtime {

// DESIGN. The validity of cached records that this host has read from the database. A record is
// valid for the "ttl", and longer while no other host or command changes the database. Each second,
// one process on this host looks for such changes (rollups/foreign_changes.h). If it finds none, it
// confirms the epoch. Otherwise it begins the next epoch. A record belongs to the epoch in which it
// was looked up, before the database was read. It is valid
//
//   - for the ttl after its lookup, or
//   - while its epoch lasts: for the ttl after the start of the last check that confirmed the
//     epoch, but at most for kMaxAge after the record's lookup.
//
// So this host sees another host's commit within the ttl, just as it would without epochs. Every
// check that starts after the commit finds the change and begins a new epoch. Earlier records do
// not belong to the new epoch.
//
// A record that was read from another database server belongs to no epoch, because the checks of
// this server cannot confirm it.
//
// The state is one word, so it needs no lock. It contains the number of the epoch (16 bits, 0
// before the first epoch) and the time of its confirmation, in microseconds of uptime (48 bits, 8
// years). Only the process that began or last confirmed an epoch may confirm it, because no other
// process knows the results of its last check.
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
  // Returns the stamp of a record that was read from "server", the hash of a server's name.
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

  // The functions below are for the process that looks for changes.
  using State = std::uint64_t;
  [[nodiscard]] State state() const { return shared_.state.load(std::memory_order_acquire); }
  [[nodiscard]] static base::Uptime confirmed_at(State state) { return time_in(state); }

  // Confirm the epoch, or begin the next epoch. "start" is the time at which the check of "server"
  // began. Both functions return the new state, or nothing if another process has changed the state
  // since "known".
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

// The processes that update a cache with their own commits (runtime/shared_cache.h). Each process
// has the number of its writer, and the sequence number of the last commit that the cache contains.
// The process that looks for foreign changes (rollups/foreign_changes.h) compares these numbers
// with the database to find out which commits the cache already contains.
//
// If living processes hold all places, a further writer's commits are treated like commits by
// another host.
//
// Each object is used by one thread. Any thread may call published().
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
  // Declares that the cache may not contain the writer's commits any more.
  void end();

  // Returns the published sequence number of each writer.
  [[nodiscard]] std::map<std::uint64_t, std::uint64_t> published() const;

 private:
  Shared& shared_;
  std::optional<std::size_t> place_;
};

}  // namespace runtime
