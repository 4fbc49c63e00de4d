#pragma once

#include <csignal>

namespace runtime {

// Blocks the signals SIGINT, SIGTERM and SIGHUP in the current thread until the destructor runs.
// Use this class to clean up before a signal ends the program. BlockedSignals objects can be
// nested.
class BlockedSignals {
 public:
  BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals();

  // Returns whether a blocked signal has arrived. If take() returns true, it has consumed the
  // signal, so the signal does not end the program later.
  [[nodiscard]] bool take() const;

 private:
  sigset_t blocked_{};
  sigset_t before_{};
};

}  // namespace runtime
