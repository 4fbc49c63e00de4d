#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace fcgi {

// The signals that the process handles: SIGTERM, SIGINT, SIGUSR1, SIGUSR2.
class Signals {
 public:
  // Blocks all signals except those that report a crash, in this thread and the threads it will
  // start, because libfcgi treats an interrupted read as the end of the connection. REQUIRES: no
  // other thread has been started.
  Signals();

  // The next signal, if one arrives within "limit".
  [[nodiscard]] std::optional<int> wait_for(std::chrono::seconds limit) const;

 private:
  sigset_t awaited_{};
};

}  // namespace fcgi
