#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

#include "base/clock.h"

namespace runtime {

// DESIGN. How long records of a cache are valid that this host has read from the database: for the
// "ttl", and longer while no other host or command changes anything. One process of this host
// checks that each second (rollups/foreign_changes.h). As long as nothing has changed, it confirms
// the epoch; otherwise it begins the next one. A record belongs to the epoch in which it was looked
// up before the database was read. It is valid
//
//   - for the ttl after its lookup, or
//   - while its epoch lasts, for the ttl after the start of the last reading that confirmed the
//     epoch, and at most for kMaxAge after its own lookup.
//
// So what others commit is seen here within the ttl, as without epochs: each reading that starts
// after the commit finds the change, and begins an epoch to which the earlier records do not
// belong.
//
// A record that was read from another server of the database belongs to no epoch: readings of
// this server do not confirm it.
//
// The state is one word, so it needs no lock: the number of the epoch (16 bits; 0: none, as at
// first) and when it was confirmed, in microseconds of uptime (48 bits, 8 years). An epoch is
// confirmed only by the process that confirmed or began it before, since only that one knows what
// it has read then.
//
// Safe for concurrent use by all processes that share the memory.
class CacheEpoch {
 public:
  static constexpr std::chrono::seconds kMaxAge{60};

  // Zeros at first.
  struct Shared {
    alignas(64) std::atomic<std::uint64_t> state;
    std::atomic<std::uint64_t> server;
  };

  explicit CacheEpoch(Shared& shared) : shared_(shared) {}

  // When a record was looked up, and in which epoch.
  using Stamp = std::uint64_t;
  [[nodiscard]] Stamp stamp(base::Uptime now) const {
    return (shared_.state.load(std::memory_order_acquire) & ~kTime) | time_word(now);
  }
  // The stamp of a record that was read from "server", a hash of its name.
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

  // For the process that watches.
  using State = std::uint64_t;
  [[nodiscard]] State state() const { return shared_.state.load(std::memory_order_acquire); }
  [[nodiscard]] static base::Uptime confirmed_at(State state) { return time_in(state); }

  // Each returns the new state, or nothing if another process has changed it since "known". A
  // reading of "server" began at "start".
  std::optional<State> confirm(State known, base::Uptime start, std::uint64_t server) {
    if (shared_.server.load() != server) return begin_next(known, start, server);
    const auto confirmed = changed(known, (known & ~kTime) | time_word(start));
    // Another process may have begun to change both.
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

// Whether no process of this namespace has this id.
[[nodiscard]] bool has_died(std::uint64_t process);

// The processes that write to a cache what they commit (runtime/shared_cache.h), each with the number
// of its writer and the sequence up to which it has done so. What watches for changes of others
// (rollups/foreign_changes.h) compares them to see which ones the cache already has.
//
// If all places are taken by living processes, a further writer counts as one of another host.
//
// Each object is used by one thread; published() by any thread.
class CacheWriters {
 public:
  // Zeros at first.
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

  // This process writes as "writer", which has committed nothing yet.
  void begin(std::uint64_t writer);
  // The cache has all that the writer has committed, up to "sequence".
  void publish(std::uint64_t sequence);
  // What the writer has committed may be unknown here.
  void end();

  // The sequence of each writer.
  [[nodiscard]] std::map<std::uint64_t, std::uint64_t> published() const;

 private:
  Shared& shared_;
  std::optional<std::size_t> place_;
};

}  // namespace runtime
