#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace fcgi {

// The signals that the process waits for: SIGTERM, SIGINT, SIGUSR1, SIGUSR2.
class Signals {
 public:
  // Blocks all signals but those that tell of a crash, in this thread and those it will start:
  // libfcgi takes an interrupted read for the end of the connection. REQUIRES: no other thread yet.
  Signals();

  // The next of them, if one comes within "limit".
  [[nodiscard]] std::optional<int> wait_for(std::chrono::seconds limit) const;

 private:
  sigset_t awaited_{};
};

}  // namespace fcgi
