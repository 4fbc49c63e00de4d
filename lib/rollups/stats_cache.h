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

// DESIGN. What the database says about objects, kept for a short while in shared memory. Readers
// take no lock and make no system call.
//
// What it promises, as long as everybody on the host keeps to two rules: no client reads an older
// state of an object after a newer one, and who has changed an object reads the change.
//
//   Reader:  find(); if there is nothing, read the database in one statement, then fill(), then
//            answer.
//   Writer:  commit; then either do as a reader that has found nothing, or invalidate(); then
//   answer.
//
// It holds because fill() leaves nothing older than what it was given:
//  - A record is put into an empty place only if nothing has changed in its set since the look-up
//    before the reading. So no reading that took long ends up here after a newer one, which may
//    have been evicted meanwhile.
//  - A record that is there gives way to a newer one, by the versions of its rows, and stays if it
//    is newer itself. Where the versions tell neither, it goes.
// So a record is never older than what anybody on this host was answered before, and what a writer
// has committed is in it or it is gone. While a commit is under way the state before it is still
// answered: whoever has seen the one behind it, has put it here first. A writer needs to announce
// nothing, and one that dies, or does not know whether it has committed, leaves nothing to clear
// up. What other hosts commit is seen when a record's life is over; so are changes that lower
// versions, unless who makes them says invalidate() or clear().
//
// A set holds six records in the order of nothing. Who changes it holds its lock: one word with a
// sequence number, by which readers see that what they copied was whole, and the owner's process
// id, by which others see that it has died; whoever wants the lock next takes it over and empties
// the set. A lock that a living process does not give back soon is not waited for: then all
// records of the set are made void, which needs no lock. The oldest record makes room for a new
// one.
//
// Safe for concurrent use, by all processes of one process id namespace that share the memory.
class StatsCache {
 public:
  static constexpr std::size_t kWords = 22;

  // What is kept. A state of an object is newer than another one if none of its versions is lower
  // and one is higher.
  struct Record {
    std::array<std::uint64_t, model::kCategories.size()> versions{};
    std::array<std::uint64_t, kWords> words{};

    bool operator==(const Record&) const = default;
  };

  // A look-up, and what the set was like then.
  struct Ticket {
    std::uint64_t lock = 0;
    std::uint64_t invalidated = 0;
    base::Time asked_at;
  };

  // What lies in shared memory. Zeros are an empty cache.
  struct Header {
    alignas(64) base::SharedKey key;
  };
  struct Place {
    std::atomic<std::uint64_t> object_id, invalidated, asked_at;
    std::array<std::atomic<std::uint64_t>, model::kCategories.size()> versions;
    std::array<std::atomic<std::uint64_t>, kWords> words;
  };
  struct alignas(64) Set {
    static constexpr std::size_t kPlaces = 6;
    std::atomic<std::uint64_t> lock;
    std::atomic<std::uint64_t> invalidated;                   // how often
    std::array<std::atomic<std::uint64_t>, kPlaces> objects;  // hashes; 0: nothing is there
    std::array<Place, kPlaces> places;
  };

  // Keeps records for "life". "memory" must outlive the cache. REQUIRES: it has room for a set.
  StatsCache(const base::SharedMemory& memory, std::chrono::microseconds life);
  // The same for memory of another kind. REQUIRES: at least one set.
  StatsCache(base::SharedKey& key, std::span<Set> sets, std::chrono::microseconds life);

  // What is known of "object"; if nothing is, "ticket" is for fill(). An object without a type
  // stands for its id alone.
  [[nodiscard]] std::optional<Record> find(const model::Object& object, base::Time now,
                                           Ticket& ticket) const;

  // The look-up alone.
  [[nodiscard]] Ticket look(const model::Object& object, base::Time now) const;

  // Takes what was read of "object" after the look-up that gave "ticket", if it is still of use.
  void fill(const model::Object& object, const Record& record, const Ticket& ticket);

  // Nothing that was read of "object" before now is found any more.
  void invalidate(const model::Object& object);

  // Nothing that was read before now is found any more.
  void clear();

 private:
  class Lock;
  struct Key {
    std::uint64_t hash, object_id;
  };
  enum class Order { equal, newer, older, unknown };

  Key key_of(const model::Object& object) const;
  Set& set_of(const Key& key) const;
  bool is_alive(std::int64_t asked_at, base::Time now) const;
  static std::optional<std::size_t> position_of(const Set& set, const Key& key);
  static Record record_in(const Place& place);
  static Order order_of(const Record& record, const Record& kept);
  static std::size_t place_to_take(const Set& set);
  static void put(Set& set, std::size_t position, const Key& key, const Record& record,
                  const Ticket& ticket);

  const base::KeyedHash hash_;
  const std::span<Set> sets_;
  const std::chrono::microseconds life_;
  const std::uint64_t process_;
};

// Where the segment that holds "megabytes" of it is. Removing those of all sizes is safe when no
// worker runs.
[[nodiscard]] std::filesystem::path stats_cache_path(const config::Config& config,
                                                     unsigned megabytes);

}  // namespace rollups
