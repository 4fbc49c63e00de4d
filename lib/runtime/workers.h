#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/metrics.h"
#include "runtime/shared_memory.h"

namespace runtime {

// A worker's gauges. Their order is the layout in memory, so insert new values directly before
// "end".
enum class Gauge : std::uint8_t {
  process,     // process id
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
  disk_full,      // 1 if the database had no room for the latest votes
  statements,     // prepared statements in all database sessions
  end,
};

// DESIGN. Each of a site's workers on one host publishes its gauges in a slot. A worker takes the
// first free slot, so slot numbers stay small. A worker holds a file lock on its slot, and the
// kernel releases the lock when the process ends. So a reused process id is never mistaken for a
// live worker, even if workers run in different PID namespaces. The gauges of dead workers are not
// shown.
//
// There are as many slots as the maximum number of a site's processes. A worker without a slot
// works, but is not shown.
//
// Safe for concurrent use.
class Workers {
 public:
  // "memory" contains "table". Both must outlive this object.
  Workers(const SharedMemory& memory, MetricsTable& table) : memory_(memory), table_(table) {}

  // Takes a slot for this process. Returns false if no slot is free. Call it once.
  bool join();

  // Publishes one of this process's gauges. Does nothing if the process has no slot.
  void show(Gauge gauge, std::uint64_t value);

  struct Shown {
    std::size_t slot = 0;  // from 0 on
    std::array<std::uint64_t, static_cast<std::size_t>(Gauge::end)> gauges{};

    [[nodiscard]] std::uint64_t at(Gauge gauge) const {
      return gauges[static_cast<std::size_t>(gauge)];
    }
  };
  // Returns all live workers, ordered by slot.
  [[nodiscard]] std::vector<Shown> all() const;

 private:
  const SharedMemory& memory_;
  MetricsTable& table_;
  std::optional<unsigned> slot_;  // this process's slot
};

// Returns the sum of a gauge over "workers".
[[nodiscard]] std::uint64_t sum(const std::vector<Workers::Shown>& workers, Gauge gauge);

}  // namespace runtime
