#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/rating.h"
#include "runtime/metrics.h"
#include "support/memory_folder.h"
#include "votes/vote.h"

namespace support {

// Creates private metrics for one test.
class MetricsMemory {
 public:
  explicit MetricsMemory(std::vector<std::string> series = {},
                         std::vector<std::string> issuers = {})
      : metrics_(table(), series, issuers), workers_(memory_, table()) {}

  [[nodiscard]] runtime::MetricsTable& table() { return memory_.as<runtime::MetricsTable>(); }
  [[nodiscard]] runtime::Metrics& metrics() { return metrics_; }
  [[nodiscard]] runtime::Workers& workers() { return workers_; }

  [[nodiscard]] std::uint64_t total(runtime::Count what) { return runtime::total(table(), what); }
  // Returns the number of votes with this outcome, for all kinds of voters.
  [[nodiscard]] std::uint64_t total(votes::VoteResult::Outcome outcome) {
    std::uint64_t sum = 0;
    for (std::size_t by = 0; by < model::kIdentifications.size(); ++by) {
      sum += runtime::total_votes(table(), static_cast<std::size_t>(outcome), by);
    }
    return sum;
  }

 private:
  const MemoryFolder folder_;
  const runtime::SharedMemory memory_{folder_.path() / "metrics", sizeof(runtime::MetricsTable)};
  runtime::Metrics metrics_;
  runtime::Workers workers_;
};

}  // namespace support
