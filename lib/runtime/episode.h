#pragma once

#include <chrono>
#include <optional>

#include "base/stopwatch.h"

namespace runtime {

// A condition that comes and goes, such as a disk that fills up slowly, as one episode: the episode
// begins when the condition is first noted, and ends when the condition has been absent for a
// while. So two log lines tell of it, however often it comes back meanwhile. Used by one thread.
class Episode {
 public:
  // "quiet": how long the condition must be absent.
  explicit Episode(std::chrono::milliseconds quiet) : quiet_(quiet) {}

  // Notes the condition. Returns whether an episode begins.
  [[nodiscard]] bool note() {
    const bool begins = !since_condition_;
    since_condition_.emplace();
    return begins;
  }

  // Notes the absence of the condition. Returns whether an episode ends.
  [[nodiscard]] bool note_absence() {
    if (!since_condition_ || since_condition_->elapsed() < quiet_) return false;
    since_condition_.reset();
    return true;
  }

 private:
  const std::chrono::milliseconds quiet_;
  std::optional<base::Stopwatch> since_condition_;
};

}  // namespace runtime
