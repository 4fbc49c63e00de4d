// Tests lib/runtime/shared_cache.h with many threads and processes, some of which die. An array
// with one number for each object replaces the database.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/shared_cache.h"
#include "runtime/shared_memory.h"
#include "support/clock.h"
#include "support/memory_folder.h"

namespace {

using runtime::SharedCache;
const support::FixedClock kClock(support::kNow);
using Key = SharedCache::Key;
using Record = SharedCache::Record;
using CasToken = SharedCache::CasToken;
using namespace std::chrono_literals;

constexpr std::size_t kObjects = 16;  // more objects than the cache can hold
constexpr std::size_t kSets = 2;

// The memory shared by the test's processes.
struct World {
  SharedCache::Header header;
  std::array<SharedCache::Set, kSets> sets;
  std::array<std::atomic<std::uint64_t>, kObjects> database;  // committed versions
  // The newest version of each object that any client has received.
  std::array<std::atomic<std::uint64_t>, kObjects> answered;
  std::atomic<std::uint64_t> steps, hits, wrong;
};

Record checked_state(std::uint64_t version) {
  Record record;
  record.versions[0] = version;
  record.words.fill(version * 0x9e3779b97f4a7c15U);
  return record;
}

void raise(std::atomic<std::uint64_t>& highest, std::uint64_t value) {
  std::uint64_t known = highest.load();
  while (known < value && !highest.compare_exchange_weak(known, value)) {
  }
}

// Simulates a client that reads and writes objects through one worker.
class Client {
 public:
  explicit Client(World& world)
      : world_(world),
        cache_(world.header, world.sets, 1h, kClock),
        random_(std::random_device()()) {}

  void step() {
    const std::size_t object = random_() % kObjects;
    if (random_() % 8 == 0) {
      write(object);
    } else {
      read(object);
    }
    ++world_.steps;
  }

 private:
  static Key named(std::size_t object) { return {object + 1, "post"}; }

  void read(std::size_t object) {
    const std::uint64_t answered_before = world_.answered[object];
    CasToken token;
    auto record = cache_.find(named(object), token);
    if (record) {
      ++world_.hits;
    } else {
      record = read_database(object, token);
    }
    answer(object, *record, answered_before);
  }

  void write(std::size_t object) {
    CasToken token;
    const auto known = cache_.find(named(object), token);
    linger();
    const std::uint64_t written = ++world_.database[object];
    linger();
    if (random_() % 2 == 0) {
      cache_.replace(named(object), known ? std::optional(checked_state(written)) : known, token);
      answer(object, checked_state(written), written);
      return;
    }
    answer(object, read_database(object, cache_.begin_fill(named(object))), written);
  }

  Record read_database(std::size_t object, const CasToken& token) {
    const Record record = checked_state(world_.database[object]);
    linger();
    cache_.fill(named(object), record, token);
    return record;
  }

  void answer(std::size_t object, const Record& record, std::uint64_t least) {
    if (record.versions[0] < least || record != checked_state(record.versions[0])) ++world_.wrong;
    raise(world_.answered[object], record.versions[0]);
  }

  // Yields to other threads in a quarter of the calls.
  void linger() {
    if (random_() % 4 == 0) std::this_thread::yield();
  }

  World& world_;
  SharedCache cache_;
  std::minstd_rand random_;
};

TEST(SharedCacheInThreads, NobodyReadsAnOlderStateAfterANewerOne) {
  const auto world = std::make_unique<World>();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      Client client(*world);
      for (int step = 0; step < 20'000; ++step) client.step();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(world->wrong, 0U);
  EXPECT_GT(world->hits, 10'000U);
}

class SharedCacheInProcesses : public testing::Test {
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

// The child process does nothing but change records, so it is usually killed during a write.
TEST_F(SharedCacheInProcesses, AKilledOneLeavesNoHalfOfARecord) {
  constexpr std::uint64_t kStepsBeforeTheEnd = 2000;
  const runtime::SharedMemory memory(path_, sizeof(World));
  auto& world = memory.as<World>();
  SharedCache cache(world.header, world.sets, 1h, kClock);
  const auto change = [&](SharedCache& changed, std::uint64_t version) {
    const Key object{version % kObjects + 1, "post"};
    changed.fill(object, checked_state(version), changed.begin_fill(object));
  };
  std::uint64_t version = 0;
  for (int round = 0; round < 50; ++round) {
    world.steps = version;
    const pid_t child = fork_to([&] {
      SharedCache of_child(world.header, world.sets, 1h, kClock);
      for (;;) change(of_child, ++world.steps);
    });
    while (world.steps < version + kStepsBeforeTheEnd) std::this_thread::yield();
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);

    version = world.steps;
    CasToken token;
    for (int i = 0; i < 4; ++i) change(cache, ++version);  // takes the killed one's lock over
    for (std::size_t id = 1; id <= kObjects; ++id) {
      const auto record = cache.find({id, "post"}, token).value_or(checked_state(0));
      EXPECT_EQ(record, checked_state(record.versions[0])) << round;
    }
    for (std::size_t i = 0; i < kObjects; ++i) change(cache, ++version);
    const Key last{version % kObjects + 1, "post"};
    EXPECT_EQ(cache.find(last, token), checked_state(version)) << round;
  }
}

TEST_F(SharedCacheInProcesses, KilledOnesLeaveItTrueAndUsable) {
  constexpr int kRounds = 60;
  constexpr std::uint64_t kSteps = 3000;
  const runtime::SharedMemory memory(path_, sizeof(World));
  auto& world = memory.as<World>();
  const auto work = [&] {
    Client client(world);
    for (;;) client.step();
  };
  std::array<pid_t, 3> children{};
  for (pid_t& child : children) child = fork_to(work);
  for (std::size_t round = 0; round < kRounds; ++round) {
    const std::uint64_t goal = world.steps + kSteps;
    while (world.steps < goal) std::this_thread::yield();
    pid_t& child = children[round % children.size()];
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    child = fork_to(work);
  }
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  EXPECT_EQ(world.wrong, 0U);

  world.hits = 0;
  Client client(world);
  for (int step = 0; step < 10'000; ++step) client.step();
  EXPECT_EQ(world.wrong, 0U);
  EXPECT_GT(world.hits, 1000U);
}

}  // namespace
