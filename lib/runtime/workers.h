#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/metrics.h"
#include "runtime/shared_memory.h"

namespace runtime {

// The gauges of a worker. The order is the layout in memory: new values go before "end".
enum class Gauge : std::uint8_t {
  process,     // its id
  started_at,  // Unix seconds
  threads,
  threads_busy,
  queue,  // waiting votes
  queue_limit,
  sessions_busy,  // database sessions for short reads
  sessions_idle,
  analytics_sessions_busy,
  analytics_sessions_idle,
  processes,  // the configured number of workers
  unanswered_votes,
  configuration,  // config::configuration_hash_of() when it started
  disk_full,      // 1: the database had no room for the latest votes
  statements,     // prepared in all database sessions
  end,
};

// DESIGN. Each worker of a site on one host publishes its gauges in its own slot. A worker takes
// the first free slot, so slot numbers stay small. A worker holds a file lock on its slot; the
// kernel releases the lock when the process ends. So a reused process id is never mistaken for a
// live worker, also if workers run in different PID namespaces. The gauges of dead workers are not
// shown.
//
// There are as many slots as a site may have processes. A worker without a slot works, but is not
// shown.
//
// Safe for concurrent use.
class Workers {
 public:
  // Both must outlive this object; "memory" contains "table".
  Workers(const SharedMemory& memory, MetricsTable& table) : memory_(memory), table_(table) {}

  // Takes a slot for this process. False if none is free. Called once.
  bool join();

  // Publishes this process's "value", if it has a slot.
  void show(Gauge gauge, std::uint64_t value);

  struct Shown {
    std::size_t slot = 0;  // from 0 on
    std::array<std::uint64_t, static_cast<std::size_t>(Gauge::end)> gauges{};

    [[nodiscard]] std::uint64_t at(Gauge gauge) const {
      return gauges[static_cast<std::size_t>(gauge)];
    }
  };
  // All live workers, ordered by slot.
  [[nodiscard]] std::vector<Shown> all() const;

 private:
  const SharedMemory& memory_;
  MetricsTable& table_;
  std::optional<unsigned> slot_;  // this process's
};

// The gauge of all "workers" together.
[[nodiscard]] std::uint64_t sum(const std::vector<Workers::Shown>& workers, Gauge gauge);

}  // namespace runtime
