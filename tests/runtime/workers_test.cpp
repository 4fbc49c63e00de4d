#include "runtime/workers.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <list>

#include "support/memory_folder.h"

namespace {

using runtime::Gauge;
using runtime::MetricsTable;
using runtime::SharedMemory;
using runtime::Workers;

// Each worker opens the segment by itself, as processes do.
struct Worker {
  explicit Worker(const std::filesystem::path& path) : memory(path, sizeof(MetricsTable)) {}

  SharedMemory memory;
  Workers workers{memory, memory.as<MetricsTable>()};
};

class WorkersTest : public testing::Test {
 protected:
  std::vector<std::size_t> slots() {
    std::vector<std::size_t> slots;
    for (const auto& shown : Worker(path_).workers.all()) slots.push_back(shown.slot);
    return slots;
  }

  const support::MemoryFolder folder_;
  const std::filesystem::path path_ = folder_.path() / "segment";
};

using WorkerSlots = std::vector<std::size_t>;

TEST_F(WorkersTest, NobodyIsThereBeforeTheFirstJoins) {
  const Worker idle(path_);
  EXPECT_EQ(slots(), WorkerSlots{});
}

TEST_F(WorkersTest, EachHasASeatAndShowsItselfToAll) {
  Worker one(path_);
  Worker other(path_);
  ASSERT_TRUE(one.workers.join());
  ASSERT_TRUE(other.workers.join());
  one.workers.show(Gauge::queue, 7);
  const auto shown = other.workers.all();
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].at(Gauge::queue), 7U);
  EXPECT_EQ(shown[1].at(Gauge::queue), 0U);
  EXPECT_EQ(shown[1].at(Gauge::process), static_cast<std::uint64_t>(getpid()));
  EXPECT_EQ(slots(), (WorkerSlots{0, 1}));
}

TEST_F(WorkersTest, SlotOfAStoppedWorkerIsReusedWithoutItsGauges) {
  Worker other(path_);
  {
    Worker first(path_);
    ASSERT_TRUE(first.workers.join());
    first.workers.show(Gauge::queue, 7);
    ASSERT_TRUE(other.workers.join());
  }
  EXPECT_EQ(slots(), WorkerSlots{1});
  Worker next(path_);
  ASSERT_TRUE(next.workers.join());
  EXPECT_EQ(slots(), (WorkerSlots{0, 1}));
  EXPECT_EQ(next.workers.all().front().at(Gauge::queue), 0U);
}

TEST_F(WorkersTest, KilledWorkerIsNotShown) {
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    Worker worker(path_);
    const char joined = worker.workers.join() ? 'y' : 'n';
    if (write(ready[1], &joined, 1) == 1) pause();
    _exit(1);
  }
  char joined = 0;
  ASSERT_EQ(read(ready[0], &joined, 1), 1);
  EXPECT_EQ(joined, 'y');
  EXPECT_EQ(slots(), WorkerSlots{0});
  kill(child, SIGSTOP);
  EXPECT_EQ(slots(), WorkerSlots{0});  // the worker may continue
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(slots(), WorkerSlots{});
  close(ready[0]);
  close(ready[1]);
}

TEST_F(WorkersTest, WorkersBeyondTheSlotsAreNotShown) {
  std::list<Worker> all;
  constexpr std::size_t kSlots = std::tuple_size_v<decltype(MetricsTable::slots)>;
  for (std::size_t i = 0; i < kSlots; ++i) ASSERT_TRUE(all.emplace_back(path_).workers.join());
  Worker late(path_);
  EXPECT_FALSE(late.workers.join());
  late.workers.show(Gauge::queue, 7);  // does nothing
  EXPECT_EQ(late.workers.all().size(), kSlots);
}

TEST_F(WorkersTest, ReaderWithoutSlotSeesAllWorkers) {
  Worker worker(path_);
  ASSERT_TRUE(worker.workers.join());
  const auto memory = SharedMemory::open_read_only(path_, sizeof(MetricsTable));
  ASSERT_TRUE(memory);
  EXPECT_EQ(Workers(**memory, (*memory)->as<MetricsTable>()).all().size(), 1U);
}

}  // namespace
