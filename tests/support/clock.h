#pragma once

#include <atomic>

#include "base/clock.h"
#include "base/zone.h"

namespace support {

// kNow is for tests that accept any time, and kNoon is for tests that count days.
inline constexpr base::Time kNow{std::chrono::seconds(1'795'000'000)};
inline constexpr base::Time kNoon =
    base::Day(std::chrono::year(2026) / 11 / 21) + std::chrono::hours(12);

// Implements a clock that does not advance by itself. Safe for concurrent use, but only one thread
// may set the clock.
class FixedClock final : public base::Clock {
 public:
  explicit FixedClock(base::Time now) : now_(now) {}

  [[nodiscard]] base::Time now() const override { return now_; }
  [[nodiscard]] base::Uptime uptime() const override { return now() - kStart; }
  void set(base::Time now) { now_ = now; }
  void advance(std::chrono::microseconds step) { now_ = now() + step; }

 private:
  static constexpr base::Time kStart = base::Day(std::chrono::year(2026) / 11 / 1);

  std::atomic<base::Time> now_;
};

}  // namespace support
