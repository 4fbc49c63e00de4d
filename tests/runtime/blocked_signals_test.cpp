#include "runtime/blocked_signals.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <csignal>

namespace {

// Ignores a signal, as nohup does for SIGHUP.
class IgnoredSignal {
 public:
  explicit IgnoredSignal(int number) : number_(number), before_(std::signal(number, SIG_IGN)) {}
  IgnoredSignal(const IgnoredSignal&) = delete;
  IgnoredSignal& operator=(const IgnoredSignal&) = delete;
  ~IgnoredSignal() { std::signal(number_, before_); }

 private:
  const int number_;
  void (*const before_)(int);
};

bool is_blocked(int signal) {
  sigset_t blocked{};
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 1;
}

TEST(BlockedSignals, AreTakenOneByOneAndEndNothing) {
  const runtime::BlockedSignals signals;
  EXPECT_FALSE(signals.take());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::raise(signal);
    EXPECT_TRUE(signals.take()) << signal;
    EXPECT_FALSE(signals.take()) << signal;
  }
}

TEST(BlockedSignals, MayBeNested) {
  {
    const runtime::BlockedSignals outer;
    { const runtime::BlockedSignals inner; }
    EXPECT_TRUE(is_blocked(SIGTERM));
  }
  EXPECT_FALSE(is_blocked(SIGTERM));
}

// A program under nohup is not interrupted when the terminal is closed.
TEST(BlockedSignals, ThatAreIgnoredInterruptNothing) {
  const IgnoredSignal ignored(SIGHUP);
  const runtime::BlockedSignals signals;
  EXPECT_FALSE(is_blocked(SIGHUP));
  std::raise(SIGHUP);
  EXPECT_FALSE(signals.take());
  std::raise(SIGTERM);
  EXPECT_TRUE(signals.take());
}

}  // namespace
