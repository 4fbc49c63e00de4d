#pragma once

#include <chrono>

namespace base {

// Measures the time since its construction with a monotonic clock.
class Stopwatch {
 public:
  Stopwatch() = default;

  // Creates a stopwatch that started "ago" before now.
  explicit Stopwatch(std::chrono::milliseconds ago) : start_(Monotonic::now() - ago) {}

  [[nodiscard]] std::chrono::milliseconds elapsed() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Monotonic::now() - start_);
  }

  // Returns the elapsed time in nanoseconds.
  [[nodiscard]] std::chrono::nanoseconds elapsed_exactly() const {
    return Monotonic::now() - start_;
  }

 private:
  using Monotonic = std::chrono::steady_clock;
  Monotonic::time_point start_ = Monotonic::now();
};

}  // namespace base
