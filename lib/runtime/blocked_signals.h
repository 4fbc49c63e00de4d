#pragma once

#include <csignal>

namespace runtime {

// Blocks the signals with which an operator ends a program (SIGINT, SIGTERM, SIGHUP) in this thread
// until the destructor runs, so that the program can clean up first. Objects can be nested.
class BlockedSignals {
 public:
  BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals();

  // Returns whether one of the signals has arrived. The signal is consumed, so it does not end the
  // program later.
  [[nodiscard]] bool take() const;

 private:
  sigset_t blocked_{};
  sigset_t before_{};
};

}  // namespace runtime
