#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/clock.h"

namespace base {

// Lets one event a minute pass, for log entries that clients can cause. Safe for concurrent use.
class OnceAMinute {
 public:
  [[nodiscard]] bool passes(Time now) {
    const auto second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
    std::int64_t last = last_;
    return second >= last + 60 && last_.compare_exchange_strong(last, second);
  }

 private:
  std::atomic<std::int64_t> last_{0};  // Unix seconds
};

}  // namespace base
