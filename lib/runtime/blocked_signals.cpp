#include "runtime/blocked_signals.h"

#include <initializer_list>

namespace runtime {

BlockedSignals::BlockedSignals() {
  sigemptyset(&blocked_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    // A signal that the program ignores, such as SIGHUP under nohup, is not blocked.
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
      sigaddset(&blocked_, signal);
    }
  }
  pthread_sigmask(SIG_BLOCK, &blocked_, &before_);
}

BlockedSignals::~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool BlockedSignals::take() const {
  constexpr timespec kNow{};
  return sigtimedwait(&blocked_, nullptr, &kNow) > 0;
}

}  // namespace runtime
