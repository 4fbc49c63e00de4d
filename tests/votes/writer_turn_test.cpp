#include "votes/writer_turn.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "support/memory_folder.h"

namespace {

using namespace std::chrono_literals;

class WriterTurn : public ::testing::Test {
 protected:
  // Simulates a writer in another process, which maps the shared memory separately.
  struct Writer {
    explicit Writer(const std::filesystem::path& path)
        : memory(path, sizeof(votes::WriterTurn::Segment)) {}
    const runtime::SharedMemory memory;
    votes::WriterTurn turn{memory};
  };

  [[nodiscard]] std::unique_ptr<Writer> new_writer() const {
    return std::make_unique<Writer>(folder_.path() / "shared/turn");
  }

  support::MemoryFolder folder_;
};

TEST_F(WriterTurn, IsOneWritersUntilItEnds) {
  const auto one = new_writer();
  const auto other = new_writer();
  EXPECT_TRUE(one->turn.acquire());
  EXPECT_FALSE(other->turn.acquire(0ms));
  other->turn.release();  // the turn belongs to another writer
  EXPECT_FALSE(other->turn.acquire(0ms));
  one->turn.release();
  EXPECT_TRUE(other->turn.acquire(0ms));
  EXPECT_FALSE(one->turn.acquire(1ms));
}

TEST_F(WriterTurn, EndsWithItsWriter) {
  auto one = new_writer();
  const auto other = new_writer();
  EXPECT_TRUE(one->turn.acquire());
  one.reset();
  EXPECT_TRUE(other->turn.acquire());
}

TEST_F(WriterTurn, WritersThatWantItAlwaysAllGetIt) {
  constexpr int kTurns = 200;
  const auto one = new_writer();
  ASSERT_TRUE(one->turn.acquire());
  std::atomic<int> others_turns = 0;
  std::thread thread([&] {
    const auto other = new_writer();
    for (int i = 0; i < kTurns; ++i) {
      if (other->turn.acquire(30s)) ++others_turns;
      other->turn.release();
    }
  });
  for (int i = 0; i < kTurns; ++i) {
    one->turn.release();
    EXPECT_TRUE(one->turn.acquire(30s));
  }
  one->turn.release();
  thread.join();
  EXPECT_EQ(others_turns, kTurns);
}

TEST_F(WriterTurn, IsHeldByOneWriterAtATime) {
  constexpr int kWriters = 4;
  constexpr int kTurns = 300;
  std::atomic<int> writing = 0;
  std::atomic<int> overlaps = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kWriters; ++i) {
    threads.emplace_back([&] {
      const auto writer = new_writer();
      for (int turn = 0; turn < kTurns; ++turn) {
        if (!writer->turn.acquire(30s)) ++overlaps;
        if (++writing != 1) ++overlaps;
        --writing;
        writer->turn.release();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(overlaps, 0);
}

}  // namespace
