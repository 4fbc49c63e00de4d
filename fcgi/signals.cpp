#include "fcgi/signals.h"

#include <pthread.h>

namespace fcgi {

Signals::Signals() {
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&blocked, crash);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  sigemptyset(&awaited_);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2}) sigaddset(&awaited_, signal);
}

std::optional<int> Signals::wait_for(std::chrono::seconds limit) const {
  const timespec time{.tv_sec = limit.count(), .tv_nsec = 0};
  const int signal = sigtimedwait(&awaited_, nullptr, &time);
  if (signal < 0) return std::nullopt;
  return signal;
}

}  // namespace fcgi
