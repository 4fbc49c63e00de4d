#include "base/held_signals.h"

#include <initializer_list>

namespace base {

HeldSignals::HeldSignals() {
  sigemptyset(&held_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    // An ignored signal (nohup) stays without effect.
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
      sigaddset(&held_, signal);
    }
  }
  pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

HeldSignals::~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool HeldSignals::take() const {
  constexpr timespec kNow{};
  return sigtimedwait(&held_, nullptr, &kNow) > 0;
}

}  // namespace base
