#include "runtime/semaphore.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

namespace {

using runtime::Semaphore;
using namespace std::chrono_literals;

TEST(Semaphore, RefusesCallersBeyondPermitsAndWaitingLimit) {
  Semaphore semaphore({.permits = 2, .waiting = 0, .max_wait = 10s});
  const Semaphore::Permit first(semaphore);
  {
    const Semaphore::Permit second(semaphore);
    EXPECT_TRUE(first.is_granted());
    EXPECT_TRUE(second.is_granted());
    EXPECT_FALSE(Semaphore::Permit(semaphore).is_granted());
  }
  EXPECT_TRUE(Semaphore::Permit(semaphore).is_granted());
}

TEST(Semaphore, WaitingEndsAfterMaxWait) {
  Semaphore semaphore({.permits = 1, .waiting = 1, .max_wait = 1ms});
  const Semaphore::Permit first(semaphore);
  EXPECT_FALSE(Semaphore::Permit(semaphore).is_granted());
  EXPECT_FALSE(Semaphore::Permit(semaphore).is_granted())
      << "the place of who gave up is free again";
}

TEST(Semaphore, ThreadsTakeTurns) {
  Semaphore semaphore({.permits = 2, .waiting = 14, .max_wait = 60s});
  std::atomic<int> permits = 0;
  std::atomic<int> most = 0;
  std::atomic<int> admitted = 0;
  std::latch start(16);
  std::vector<std::jthread> threads;
  threads.reserve(16);
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      const Semaphore::Permit permit(semaphore);
      if (!permit.is_granted()) return;
      const int now = ++permits;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::yield();
      ++admitted;
      --permits;
    });
  }
  threads.clear();
  EXPECT_EQ(admitted, 16);
  EXPECT_LE(most, 2);
}

}  // namespace
