#pragma once

#include "base/clock.h"

namespace support {

// A clock that stands still until it is set.
class FixedClock final : public base::Clock {
 public:
  explicit FixedClock(base::Time now) : now_(now) {}

  [[nodiscard]] base::Time now() const override { return now_; }
  void set(base::Time now) { now_ = now; }
  void advance(std::chrono::microseconds step) { now_ += step; }

 private:
  base::Time now_;
};

}  // namespace support
