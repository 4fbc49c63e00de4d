#pragma once

#include <chrono>
#include <optional>

#include "base/stopwatch.h"

namespace runtime {

// Groups the occurrences of a condition that comes and goes, such as a nearly full disk, into one
// episode. An episode begins when the condition is first noted. It ends when the condition has been
// absent for a while. So the log needs only two lines for an episode, even if the condition has
// come and gone many times. Used by one thread.
class Episode {
 public:
  // An episode ends when the condition has been absent for "quiet".
  explicit Episode(std::chrono::milliseconds quiet) : quiet_(quiet) {}

  // Notes the condition. Returns whether an episode begins.
  [[nodiscard]] bool note() {
    const bool begins = !since_condition_;
    since_condition_.emplace();
    return begins;
  }

  // Records that the condition is absent. Returns whether an episode ends.
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
