#pragma once

#include <csignal>

namespace runtime {

// While it lives, the signals by which an operator ends a program (SIGINT, SIGTERM, SIGHUP) are
// blocked in this thread, so that the program can clean up first. May be nested.
class BlockedSignals {
 public:
  BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals();

  // Whether one of them has arrived. It is taken: it does not end the program afterwards.
  [[nodiscard]] bool take() const;

 private:
  sigset_t blocked_{};
  sigset_t before_{};
};

}  // namespace runtime
