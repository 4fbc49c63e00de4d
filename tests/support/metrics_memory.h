#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/metrics.h"
#include "base/workers.h"
#include "support/memory_folder.h"

namespace support {

// Metrics of the test's own.
class MetricsMemory {
 public:
  explicit MetricsMemory(std::vector<std::string> series = {},
                         std::vector<std::string> issuers = {})
      : metrics_(table(), series, issuers), workers_(memory_, table()) {}

  [[nodiscard]] base::MetricsTable& table() { return memory_.as<base::MetricsTable>(); }
  [[nodiscard]] base::Metrics& metrics() { return metrics_; }
  [[nodiscard]] base::Workers& workers() { return workers_; }

  [[nodiscard]] std::uint64_t total(base::Count what) { return base::total(table(), what); }

 private:
  const MemoryFolder folder_;
  const base::SharedMemory memory_{folder_.path() / "metrics", sizeof(base::MetricsTable)};
  base::Metrics metrics_;
  base::Workers workers_;
};

}  // namespace support
