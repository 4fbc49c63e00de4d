#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/metrics.h"
#include "base/shared_memory.h"

namespace base {

// What a worker shows of itself. The order is that of the memory: new ones come before "end".
enum class Gauge : std::uint8_t {
  process,     // its id
  started_at,  // Unix seconds
  threads,
  threads_busy,
  queue,  // votes that wait
  queue_limit,
  sessions_busy,  // of the database: for short reads
  sessions_idle,
  analytics_sessions_busy,
  analytics_sessions_idle,
  processes,  // how many workers its configuration wants
  end,
};

// DESIGN. The workers of a site on one host, each in a seat of its own, in which it shows how it
// is. The first free seat is taken, so that their numbers stay small. A seat is free when nobody
// holds a lock on it, which the kernel lets go when its holder ends: so none is taken for alive by
// a process id that another program has now, whatever namespace the workers live in. What a dead
// one has shown is not shown any more.
//
// There are as many seats as a site may have processes. Who finds none works all the same, unseen.
//
// Safe for concurrent use.
class Workers {
 public:
  // Both must outlive this; "memory" holds "table".
  Workers(const SharedMemory& memory, MetricsTable& table) : memory_(memory), table_(table) {}

  // Takes a seat for this process. False if there is none. Called once.
  bool join();

  // Shows this process's "value", if it has a seat.
  void show(Gauge gauge, std::uint64_t value);

  struct Shown {
    std::size_t seat = 0;  // from 0 on
    std::array<std::uint64_t, static_cast<std::size_t>(Gauge::end)> gauges{};

    [[nodiscard]] std::uint64_t at(Gauge gauge) const {
      return gauges[static_cast<std::size_t>(gauge)];
    }
  };
  // All that are alive, in the order of their seats.
  [[nodiscard]] std::vector<Shown> all() const;

 private:
  const SharedMemory& memory_;
  MetricsTable& table_;
  std::optional<unsigned> seat_;  // this process's
};

}  // namespace base
