#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>

namespace base {

// Whether no process of this namespace has this id.
[[nodiscard]] bool has_died(std::uint64_t process);

// The processes that write to a cache what they commit (base/shared_cache.h), each with the number
// of its writer and the sequence up to which it has done so. Who watches for changes of others
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

}  // namespace base
