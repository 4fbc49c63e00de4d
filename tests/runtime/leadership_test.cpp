#include "runtime/leadership.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

// Ends the calling thread's leadership, but keeps the thread in the group.
void release(runtime::Leadership& leadership) {
  leadership.leave();
  leadership.add_threads(1);
}

TEST(Leadership, NoOtherThreadLeadsUntilItIsHandedOver) {
  runtime::Leadership leadership;
  leadership.add_threads(2);
  EXPECT_FALSE(leadership.is_held());
  leadership.acquire();
  EXPECT_TRUE(leadership.is_held());
  std::atomic<bool> has_led = false;
  std::thread follower([&] {
    leadership.acquire();
    has_led = true;
    release(leadership);
  });
  EXPECT_FALSE(has_led);
  EXPECT_TRUE(leadership.hand_over());
  EXPECT_FALSE(leadership.is_held());
  follower.join();
  EXPECT_TRUE(has_led);
}

TEST(Leadership, LastThreadThatIsNotBlockedKeepsIt) {
  runtime::Leadership leadership;
  leadership.add_threads(2);
  leadership.acquire();
  EXPECT_TRUE(leadership.hand_over());
  std::thread([&] {
    leadership.acquire();
    EXPECT_EQ(leadership.refusals(), 0U);
    EXPECT_FALSE(leadership.hand_over());
    EXPECT_EQ(leadership.refusals(), 1U);
    EXPECT_TRUE(leadership.is_held());
    release(leadership);
  }).join();
  leadership.rejoin();
  std::thread([&] {
    leadership.acquire();
    EXPECT_TRUE(leadership.hand_over());
  }).join();
}

TEST(Leadership, ThreadThatDoesNotLeadMayAlwaysBlock) {
  runtime::Leadership leadership;
  EXPECT_TRUE(leadership.hand_over());
  leadership.add_threads(2);
  leadership.acquire();
  std::thread([&] { EXPECT_TRUE(leadership.hand_over()); }).join();
  EXPECT_TRUE(leadership.is_held());
}

TEST(Leadership, OneThreadLeadsAtATime) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 1000;
  runtime::Leadership leadership;
  leadership.add_threads(kThreads);
  int leaders = 0;  // not atomic, because the leadership guards it
  int rounds = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        leadership.acquire();
        EXPECT_EQ(++leaders, 1);
        ++rounds;
        --leaders;
        if (!leadership.hand_over()) release(leadership);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(rounds, kThreads * kRounds);
}

}  // namespace
