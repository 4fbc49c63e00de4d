#pragma once

#include <chrono>

namespace base {

// Time passed since it was made, unmoved by steps of the wall clock.
class Stopwatch {
 public:
  Stopwatch() = default;

  // As one that was made so long ago.
  explicit Stopwatch(std::chrono::milliseconds ago) : start_(Monotonic::now() - ago) {}

  [[nodiscard]] std::chrono::milliseconds elapsed() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Monotonic::now() - start_);
  }

  // The same, as exactly as the system has it.
  [[nodiscard]] std::chrono::nanoseconds elapsed_exactly() const {
    return Monotonic::now() - start_;
  }

 private:
  using Monotonic = std::chrono::steady_clock;
  Monotonic::time_point start_ = Monotonic::now();
};

}  // namespace base
