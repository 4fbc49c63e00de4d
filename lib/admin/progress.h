#pragma once

#include <cstdint>
#include <string>

#include "base/stopwatch.h"

namespace admin {

// Reports progress on standard error: a bar on a terminal, else a line for each tenth. Used by one
// thread.
class Progress {
 public:
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Ends the line of the bar.
  ~Progress();

  // REQUIRES: 0 <= done <= all, all > 0.
  void show(std::int64_t done, std::int64_t all);

 private:
  void show_bar(std::int64_t percent) const;
  [[nodiscard]] std::string time_left(std::int64_t done, std::int64_t all) const;

  const std::string what_;
  const bool is_terminal_;
  const base::Stopwatch stopwatch_;
  std::int64_t first_ = -1;  // what was done when it was made
  std::int64_t shown_ = -1;  // per cent
  std::string left_;
};

}  // namespace admin
