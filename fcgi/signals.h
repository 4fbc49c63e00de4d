#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace fcgi {

// The signals that the process handles: SIGTERM, SIGINT, SIGUSR1 and SIGUSR2.
class Signals {
 public:
  // Blocks signals in the calling thread and in all threads that it starts later, because libfcgi
  // treats an interrupted read as the end of the connection. Signals that a crash raises, such as
  // SIGSEGV, are not blocked. Must be called before the process starts any other thread.
  Signals();

  // Returns the next signal, or nothing if no signal arrives within "limit".
  [[nodiscard]] std::optional<int> wait_for(std::chrono::seconds limit) const;

 private:
  sigset_t awaited_{};
};

}  // namespace fcgi
