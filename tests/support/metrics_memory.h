#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/metrics.h"
#include "base/workers.h"
#include "model/rating.h"
#include "support/memory_folder.h"
#include "votes/vote_result.h"

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
  // The votes with this outcome, whatever identified their voters.
  [[nodiscard]] std::uint64_t total(votes::VoteResult::Outcome outcome) {
    std::uint64_t sum = 0;
    for (std::size_t by = 0; by < model::kIdentifications.size(); ++by) {
      sum += base::total_votes(table(), static_cast<std::size_t>(outcome), by);
    }
    return sum;
  }

 private:
  const MemoryFolder folder_;
  const base::SharedMemory memory_{folder_.path() / "metrics", sizeof(base::MetricsTable)};
  base::Metrics metrics_;
  base::Workers workers_;
};

}  // namespace support
