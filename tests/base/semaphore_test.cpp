#include "base/semaphore.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

namespace {

using base::Semaphore;
using namespace std::chrono_literals;

TEST(Semaphore, TurnsAwayWhoFindsItFullAndMayNotWait) {
  Semaphore gate({.inside = 2, .waiting = 0, .patience = 10s});
  const Semaphore::Permit first(gate);
  {
    const Semaphore::Permit second(gate);
    EXPECT_TRUE(first.is_inside());
    EXPECT_TRUE(second.is_inside());
    EXPECT_FALSE(Semaphore::Permit(gate).is_inside());
  }
  EXPECT_TRUE(Semaphore::Permit(gate).is_inside());
}

TEST(Semaphore, WhoWaitsGivesUpInTime) {
  Semaphore gate({.inside = 1, .waiting = 1, .patience = 1ms});
  const Semaphore::Permit first(gate);
  EXPECT_FALSE(Semaphore::Permit(gate).is_inside());
  EXPECT_FALSE(Semaphore::Permit(gate).is_inside()) << "the place of who gave up is free again";
}

TEST(Semaphore, ThreadsTakeTurns) {
  Semaphore gate({.inside = 2, .waiting = 14, .patience = 60s});
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::atomic<int> admitted = 0;
  std::latch start(16);
  std::vector<std::jthread> threads;
  threads.reserve(16);
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      const Semaphore::Permit visit(gate);
      if (!visit.is_inside()) return;
      const int now = ++inside;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::yield();
      ++admitted;
      --inside;
    });
  }
  threads.clear();
  EXPECT_EQ(admitted, 16);
  EXPECT_LE(most, 2);
}

}  // namespace
