#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/stopwatch.h"

namespace transfer {

// The size of the next slice of an operation that works in slices of one transaction each. Votes
// wait for the rows of a slice, so a slice should take about kTargetTime, whatever the speed of the
// server; larger slices are faster in total. Used by one thread.
class Slices {
 public:
  static constexpr std::chrono::milliseconds kTargetTime{40};
  static constexpr std::size_t kLeast = 64, kFirst = 256, kMost = 2048;

  [[nodiscard]] std::size_t rows() const { return rows_; }

  // Runs "work", which handles "rows" rows in one transaction, and adapts the size of the next
  // slice. Returns what "work" returns.
  template <typename Work>
  auto run(std::size_t rows, const Work& work) {
    const base::Stopwatch stopwatch;
    auto result = work();
    adapt(rows, stopwatch.elapsed_exactly());
    return result;
  }

  void adapt(std::size_t rows, std::chrono::nanoseconds elapsed) {
    const auto fitting = static_cast<std::size_t>(
        static_cast<double>(rows) * static_cast<double>(kTargetTime / std::chrono::nanoseconds(1)) /
        static_cast<double>(std::max<std::int64_t>(elapsed.count(), 1)));
    rows_ = std::clamp(std::min(fitting, 2 * rows_), kLeast, kMost);
  }

 private:
  std::size_t rows_ = kFirst;
};

}  // namespace transfer
