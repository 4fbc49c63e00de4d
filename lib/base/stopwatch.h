#pragma once

#include <chrono>

namespace base {

// The time since construction, by a monotonic clock.
class Stopwatch {
 public:
  Stopwatch() = default;

  // A stopwatch that was started "ago" before now.
  explicit Stopwatch(std::chrono::milliseconds ago) : start_(Monotonic::now() - ago) {}

  [[nodiscard]] std::chrono::milliseconds elapsed() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Monotonic::now() - start_);
  }

  // The same in nanoseconds.
  [[nodiscard]] std::chrono::nanoseconds elapsed_exactly() const {
    return Monotonic::now() - start_;
  }

 private:
  using Monotonic = std::chrono::steady_clock;
  Monotonic::time_point start_ = Monotonic::now();
};

}  // namespace base
