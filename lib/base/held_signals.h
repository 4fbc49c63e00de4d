#pragma once

#include <csignal>

namespace base {

// While it lives, the signals by which an operator ends a program (SIGINT, SIGTERM, SIGHUP) are
// held back from this thread, so that the program can clean up first. May be nested.
class HeldSignals {
 public:
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals();

  // Whether one of them has arrived. It is taken: it does not end the program afterwards.
  [[nodiscard]] bool take() const;

 private:
  sigset_t held_{};
  sigset_t before_{};
};

}  // namespace base
