#include "fcgi/signals.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <optional>
#include <thread>

namespace {

using namespace std::chrono_literals;

// The test runs in a new thread, so that the signals are no longer blocked after the test.
TEST(Signals, AreReceivedOneByOne) {
  std::optional<int> none;
  std::optional<int> first;
  std::optional<int> second;
  std::thread thread([&] {
    const fcgi::Signals signals;
    none = signals.wait_for(0s);
    pthread_kill(pthread_self(), SIGUSR1);
    // NOLINTNEXTLINE(bugprone-bad-signal-to-kill-thread): waited for
    pthread_kill(pthread_self(), SIGTERM);
    pthread_kill(pthread_self(), SIGHUP);  // a signal that is blocked but not waited for
    first = signals.wait_for(0s);
    second = signals.wait_for(0s);
    EXPECT_EQ(signals.wait_for(0s), std::nullopt);
  });
  thread.join();
  EXPECT_EQ(none, std::nullopt);
  EXPECT_EQ(first, SIGUSR1);
  EXPECT_EQ(second, SIGTERM);
}

}  // namespace
