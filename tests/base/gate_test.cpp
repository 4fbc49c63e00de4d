#include "base/gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

namespace {

using base::Gate;
using namespace std::chrono_literals;

TEST(Gate, TurnsAwayWhoFindsItFullAndMayNotWait) {
  Gate gate({.inside = 2, .waiting = 0, .patience = 10s});
  const Gate::Visit first(gate);
  {
    const Gate::Visit second(gate);
    EXPECT_TRUE(first.is_inside());
    EXPECT_TRUE(second.is_inside());
    EXPECT_FALSE(Gate::Visit(gate).is_inside());
  }
  EXPECT_TRUE(Gate::Visit(gate).is_inside());
}

TEST(Gate, WhoWaitsGivesUpInTime) {
  Gate gate({.inside = 1, .waiting = 1, .patience = 1ms});
  const Gate::Visit first(gate);
  EXPECT_FALSE(Gate::Visit(gate).is_inside());
  EXPECT_FALSE(Gate::Visit(gate).is_inside()) << "the place of who gave up is free again";
}

TEST(Gate, ThreadsTakeTurns) {
  Gate gate({.inside = 2, .waiting = 14, .patience = 60s});
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::atomic<int> admitted = 0;
  std::latch start(16);
  std::vector<std::jthread> threads;
  threads.reserve(16);
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      const Gate::Visit visit(gate);
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
