// Tests lib/limit/limiter.h with many threads and many processes, some of which die.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <barrier>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "limit/limiter.h"
#include "runtime/shared_memory.h"
#include "support/clock.h"
#include "support/memory_folder.h"

namespace {

using limit::Class;
using limit::Limiter;
using limit::Quota;
using support::kNow;
using namespace std::chrono_literals;

constexpr int kThreads = 16;

void in_threads(const std::function<void()>& work) {
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

TEST(LimiterInThreads, AllowsExactlyTheQuota) {
  const auto table = std::make_unique<Limiter::Table>();
  std::atomic<int> allowed = 0;
  in_threads([&] {
    Limiter limiter(*table);
    for (int i = 0; i < 1000; ++i) {
      if (limiter.take(Class::write, "key", {5000, 60s}, kNow).allowed) ++allowed;
    }
  });
  EXPECT_EQ(allowed, 5000);
}

TEST(LimiterInThreads, CountsWhatIsRecordedExactly) {
  const auto table = std::make_unique<Limiter::Table>();
  Limiter limiter(*table);
  in_threads([&] {
    for (int i = 0; i < 100; ++i) limiter.record(Class::write, "key", {5000, 5000s}, kNow);
  });
  EXPECT_EQ(limiter.peek(Class::write, "key", {5000, 5000s}, kNow).remaining, 5000U - 1600U);
}

// In each round, all threads use the same seven new keys, which replace the seven keys from the
// previous round. A key that occupied two cells in the limiter's table would be allowed too many
// requests.
TEST(LimiterInThreads, NewKeysInOneBucketGetOneCellEach) {
  constexpr int kRounds = 300;
  constexpr int kKeys = 7;
  constexpr int kTries = 4;
  constexpr Quota kQuota{10, 60s};
  base::SharedKey shared_key{
      {1, 2}};  // not random, so that equal tags cannot make the test fail by chance
  Limiter::Bucket bucket{};
  Limiter limiter(shared_key, {&bucket, 1});
  std::array<std::atomic<int>, kKeys> allowed{};
  int wrong = 0;
  std::barrier round_begins(kThreads);
  std::barrier round_ends(kThreads, [&]() noexcept {
    for (std::atomic<int>& count : allowed) wrong += count.exchange(0) == 10 ? 0 : 1;
  });
  in_threads([&] {
    for (int round = 0; round < kRounds; ++round) {
      round_begins.arrive_and_wait();
      for (int i = 0; i < kTries * kKeys; ++i) {
        const std::string key = std::to_string(round) + "/" + std::to_string(i % kKeys);
        if (limiter.take(Class::write, key, kQuota, kNow + round * 120s).allowed) {
          ++allowed.at(static_cast<std::size_t>(i % kKeys));
        }
      }
      round_ends.arrive_and_wait();
    }
  });
  EXPECT_EQ(wrong, 0);
}

class LimiterInProcesses : public testing::Test {
 protected:
  static pid_t fork_to(const std::function<void()>& work) {
    const pid_t child = fork();
    if (child != 0) return child;
    work();
    _exit(0);
  }

  const support::MemoryFolder folder_;
  const std::filesystem::path path_ = folder_.path() / "segment";
};

TEST_F(LimiterInProcesses, AllowExactlyTheQuotaTogether) {
  constexpr int kProcesses = 4;
  struct Layout {
    Limiter::Table limits;
    std::atomic<int> allowed;
    std::atomic<int> ready;
  };
  // The first process creates the shared memory, and the other processes open it.
  const auto work = [&] {
    const runtime::SharedMemory memory(path_, sizeof(Layout));
    auto& layout = memory.as<Layout>();
    ++layout.ready;
    while (layout.ready < kProcesses) std::this_thread::yield();
    Limiter limiter(layout.limits);
    for (int i = 0; i < 1000; ++i) {
      if (limiter.take(Class::write, "key", {1500, 60s}, kNow).allowed) ++layout.allowed;
    }
  };
  std::array<pid_t, kProcesses> children{};
  for (pid_t& child : children) child = fork_to(work);
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const runtime::SharedMemory memory(path_, sizeof(Layout));
  EXPECT_EQ(memory.as<Layout>().allowed, 1500);
}

// The child process inserts keys into a single bucket until it is killed.
TEST_F(LimiterInProcesses, AKilledProcessLeavesTheTableUsable) {
  constexpr std::uint64_t kStepsBeforeTheEnd = 200;
  struct Layout {
    base::SharedKey key;
    Limiter::Bucket bucket;
    std::atomic<std::uint64_t> steps;
  };
  const runtime::SharedMemory memory(path_, sizeof(Layout));
  auto& layout = memory.as<Layout>();
  layout.key.words[0] = 1;  // not random, as above
  layout.key.words[1] = 2;
  Limiter limiter(layout.key, {&layout.bucket, 1});
  for (int round = 0; round < 50; ++round) {
    layout.steps = 0;
    const base::Time now = kNow + round * 120s;
    const pid_t child = fork_to([&] {
      for (;;) {
        const std::string key = "child " + std::to_string(++layout.steps);
        limiter.take(Class::read, key, {10, 60s}, now);
      }
    });
    while (layout.steps < kStepsBeforeTheEnd) std::this_thread::yield();
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);

    int allowed = 0;
    for (int i = 0; i < 20; ++i) {
      const std::string key = "parent " + std::to_string(round);
      allowed += limiter.take(Class::write, key, {10, 60s}, now).allowed ? 1 : 0;
    }
    EXPECT_EQ(allowed, 10) << round;
  }
}

}  // namespace
