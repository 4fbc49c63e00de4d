#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/crypto.h"
#include "base/metrics.h"
#include "base/workers.h"

namespace support {

// Metrics of the test's own, in a segment that nobody else can find.
class MetricsMemory {
 public:
  explicit MetricsMemory(std::vector<std::string> series = {})
      : metrics_(table(), series), workers_(memory_, table()) {
    base::SharedMemory::remove(name_);
  }

  [[nodiscard]] base::MetricsTable& table() { return memory_.as<base::MetricsTable>(); }
  [[nodiscard]] base::Metrics& metrics() { return metrics_; }
  [[nodiscard]] base::Workers& workers() { return workers_; }

  [[nodiscard]] std::uint64_t total(base::Count what) { return base::total(table(), what); }

 private:
  const std::string name_ =
      base::SharedMemory::name_of({"test", base::to_hex(base::random_bytes(8))});
  const base::SharedMemory memory_{name_, sizeof(base::MetricsTable)};
  base::Metrics metrics_;
  base::Workers workers_;
};

}  // namespace support
