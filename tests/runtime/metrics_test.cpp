#include "runtime/metrics.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <list>
#include <memory>
#include <thread>

#include "support/memory_folder.h"
#include "support/metrics_memory.h"

namespace {

using runtime::Count;
using runtime::Gauge;
using runtime::Measure;
using runtime::Metrics;
using runtime::MetricsTable;
using runtime::SharedMemory;
using runtime::Workers;
using std::chrono::microseconds;
using std::chrono::nanoseconds;
using support::MetricsMemory;
using Names = std::vector<std::string>;

TEST(Metrics, ZerosAreNothingCounted) {
  MetricsMemory memory(Names{"GET /"});
  EXPECT_EQ(memory.total(Count::vote_failed), 0U);
  EXPECT_EQ(runtime::all_requests(memory.table()).count(), 0U);
  EXPECT_EQ(runtime::distribution(memory.table(), Measure::batch_size).count(), 0U);
}

TEST(Metrics, AdditionsOfManyThreadsAreAllThere) {
  constexpr int kThreads = 8;
  constexpr int kEach = 20'000;
  MetricsMemory memory(Names{"GET /"});
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kEach; ++j) {
        memory.metrics().add(Count::stats_cache_hit, 2);
        memory.metrics().add_request(0, 200, microseconds(1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(memory.total(Count::stats_cache_hit), 2ULL * kThreads * kEach);
  const auto requests = runtime::all_requests(memory.table());
  EXPECT_EQ(requests.count(), 1ULL * kThreads * kEach);
  EXPECT_EQ(requests.durations.count(), requests.count());
  EXPECT_EQ(requests.durations.sum, 1000 * requests.count());
}

TEST(Metrics, GroupHasTheSumOfItsCounts) {
  MetricsMemory memory(Names{"GET /"});
  memory.metrics().add(Count::limited_read, 2);
  memory.metrics().add(Count::limited_ticket, 3);
  memory.metrics().add(Count::vote_failed, 4);
  EXPECT_EQ(runtime::total(memory.table(), runtime::CountGroup::limit), 5U);
  EXPECT_EQ(runtime::total(memory.table(), runtime::CountGroup::vote_failed), 4U);
  EXPECT_EQ(runtime::total(memory.table(), runtime::CountGroup::retry), 0U);
}

TEST(Metrics, VotesAreCountedByOutcomeAndByWhatIdentifiedTheVoter) {
  MetricsMemory memory(Names{"GET /"});
  memory.metrics().add_vote(0, 2, false);
  memory.metrics().add_vote(0, 2, false);
  memory.metrics().add_vote(0, 4, false);
  memory.metrics().add_vote(9, 2, true);
  EXPECT_EQ(runtime::total_votes(memory.table(), 0, 2), 2U);
  EXPECT_EQ(runtime::total_votes(memory.table(), 0, 4), 1U);
  EXPECT_EQ(runtime::total_votes(memory.table(), 9, 2), 1U);
  EXPECT_EQ(runtime::total_votes(memory.table(), 2, 0), 0U);
}

TEST(Metrics, OfAKilledProcessStay) {
  MetricsMemory memory(Names{"GET /"});
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 1000; ++i) memory.metrics().add(Count::vote_failed);
    kill(getpid(), SIGKILL);
  }
  int how = 0;
  ASSERT_EQ(waitpid(child, &how, 0), child);
  EXPECT_TRUE(WIFSIGNALED(how));
  EXPECT_EQ(memory.total(Count::vote_failed), 1000U);
}

TEST(Metrics, AreNotResetByANewProcess) {
  const auto table = std::make_unique<MetricsTable>();
  const Names series{"GET /a", "GET /b"};
  Metrics(*table, series).add_request(1, 200, microseconds(1));
  Metrics later(*table, series);
  EXPECT_EQ(runtime::requests(*table, later.slot_of(1)).count(), 1U);
  EXPECT_EQ(runtime::requests(*table, later.slot_of(0)).count(), 0U);
}

// Another version of the program may store the same series in a different order.
TEST(Metrics, SeriesAreFoundByTheirNamesWhateverTheirOrder) {
  const auto table = std::make_unique<MetricsTable>();
  Metrics before(*table, Names{"GET /a", "GET /b"});
  Metrics after(*table, Names{"GET /new", "GET /b", "GET /a"});
  before.add_request(0, 200, microseconds(1));
  after.add_request(2, 200, microseconds(1));
  EXPECT_EQ(runtime::requests(*table, before.slot_of(0)).count(), 2U);
  EXPECT_EQ(runtime::requests(*table, after.slot_of(0)).count(), 0U);
}

TEST(Metrics, SeriesWithoutAPlaceShareTheLast) {
  const auto table = std::make_unique<MetricsTable>();
  Names names;
  for (int i = 0; i < 70; ++i) names.push_back("GET /" + std::to_string(i));
  Metrics metrics(*table, names);
  EXPECT_NE(metrics.slot_of(61), metrics.slot_of(62));
  EXPECT_EQ(metrics.slot_of(63), metrics.slot_of(69));
  metrics.add_request(69, 200, microseconds(1));
  EXPECT_EQ(runtime::all_requests(*table).count(), 1U);
}

TEST(Metrics, SitesAreCountedAloneWhileThereAreSlots) {
  const auto table = std::make_unique<MetricsTable>();
  const auto sites = std::make_unique<runtime::SitesTable>();
  const Names series{"GET /a"};
  for (unsigned site = 1; site <= sites->slots.size() + 2; ++site) {
    Metrics metrics(*table, series, {}, sites.get(), site);
    metrics.add_request(0, 200, microseconds(1));
    for (int i = 0; i < 3; ++i) metrics.add_vote(0, 0, false);
    metrics.add_vote(5, 0, true);
  }
  Metrics(*table, series, {}, sites.get(), 7).add_vote(2, 0, false);
  EXPECT_EQ(sites->slot_of(7).votes, 4U);
  EXPECT_EQ(sites->slot_of(7).requests, 1U);
  EXPECT_EQ(sites->slot_of(8).votes, 3U);
  EXPECT_EQ(sites->others.requests, 2U);
  EXPECT_EQ(sites->others.votes, 6U);
  EXPECT_EQ(runtime::total_votes(*table, 0, 0), 3 * (sites->slots.size() + 2));
}

TEST(Metrics, StatusesAreToldApartAndUnusualOnesAreOne) {
  MetricsMemory memory(Names{"GET /"});
  for (const int status : {200, 503, 418, 599}) {
    memory.metrics().add_request(0, status, microseconds(1));
  }
  const auto counts = runtime::requests(memory.table(), 0).statuses;
  const auto count = [&](int status) {
    const auto* const place =
        std::find(runtime::kStatuses.begin(), runtime::kStatuses.end(), status);
    return counts.at(static_cast<std::size_t>(place - runtime::kStatuses.begin()));
  };
  EXPECT_EQ(count(200), 1U);
  EXPECT_EQ(count(503), 1U);
  EXPECT_EQ(count(runtime::kOtherStatuses), 2U);
  EXPECT_EQ(count(410), 0U);
}

// The positions of counters must not change, because version 0.2 workers may be using the same
// memory.
TEST(Metrics, StatusesKeepTheirPlacesInMemory) {
  MetricsMemory memory(Names{"GET /"});
  memory.metrics().add_request(0, 429, microseconds(1));
  memory.metrics().add_request(0, 418, microseconds(1));
  const auto counts = runtime::requests(memory.table(), 0).statuses;
  EXPECT_EQ(counts[8], 1U);
  EXPECT_EQ(counts[11], 1U);
}

TEST(Metrics, ValuesFallIntoTheBucketThatTheyDoNotExceed) {
  MetricsMemory memory;
  for (const std::uint64_t size : {1U, 2U, 3U, 64U, 65U, 1000U}) {
    memory.metrics().add(Measure::batch_size, size);
  }
  const auto sizes = runtime::distribution(memory.table(), Measure::batch_size);
  EXPECT_EQ(sizes.buckets, (std::vector<std::uint64_t>{1, 1, 1, 0, 0, 0, 1, 2}));
  EXPECT_EQ(sizes.sum, 1135U);
  memory.metrics().add(Measure::commit_duration, microseconds(100));
  memory.metrics().add(Measure::commit_duration, microseconds(100) + nanoseconds(1));
  memory.metrics().add(Measure::commit_duration, std::chrono::hours(1));
  const auto times = runtime::distribution(memory.table(), Measure::commit_duration);
  EXPECT_EQ(times.buckets.front(), 1U);
  EXPECT_EQ(times.buckets[1], 1U);
  EXPECT_EQ(times.buckets.back(), 1U);
}

TEST(Metrics, VisitorsOfOneAddressAreCountedUntilAnotherComes) {
  MetricsMemory memory;
  for (int i = 0; i < 100; ++i) {
    memory.metrics().count_forwarded_client("10.0.0.1", "198.51.100." + std::to_string(i));
  }
  EXPECT_EQ(runtime::clients_per_address(memory.table()), 100U);
  for (int i = 0; i < 100; ++i)
    memory.metrics().count_forwarded_client("10.0.0.1", "198.51.100.99");
  EXPECT_EQ(runtime::clients_per_address(memory.table()), 100U);
  memory.metrics().count_forwarded_client("203.0.113.7", "203.0.113.7");
  EXPECT_EQ(runtime::clients_per_address(memory.table()), 1U);
  memory.metrics().count_forwarded_client("203.0.113.7", "");
  EXPECT_EQ(runtime::clients_per_address(memory.table()), 1U);
  memory.metrics().count_forwarded_client("203.0.113.8", "");
  EXPECT_EQ(runtime::clients_per_address(memory.table()), 0U);
}

TEST(Metrics, LastVotesOfBrowsersAndProgramsAreKnownToAMinute) {
  using namespace std::chrono_literals;
  MetricsMemory memory;
  const base::Time noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 21) + 12h;
  EXPECT_EQ(runtime::last_votes(memory.table()).of_browser, base::Time());
  memory.metrics().record_vote_time(true, noon);
  memory.metrics().record_vote_time(true, noon + 59s);
  memory.metrics().record_vote_time(false, noon + 1h);
  EXPECT_EQ(runtime::last_votes(memory.table()).of_browser, noon);
  EXPECT_EQ(runtime::last_votes(memory.table()).of_program, noon + 1h);
  memory.metrics().record_vote_time(true, noon + 60s);
  EXPECT_EQ(runtime::last_votes(memory.table()).of_browser, noon + 60s);
  memory.metrics().record_vote_time(true, noon - 1h);  // the clock was set back
  EXPECT_EQ(runtime::last_votes(memory.table()).of_browser, noon - 1h);
}

TEST(Metrics, VotesOfProgramsAreCountedUntilABrowserVotes) {
  MetricsMemory memory;
  for (int i = 0; i < 3; ++i) memory.metrics().record_vote_time(false, base::Time());
  EXPECT_EQ(runtime::last_votes(memory.table()).programs_in_a_row, 3U);
  memory.metrics().record_vote_time(true, base::Time());
  EXPECT_EQ(runtime::last_votes(memory.table()).programs_in_a_row, 0U);
  memory.metrics().record_vote_time(false, base::Time());
  EXPECT_EQ(runtime::last_votes(memory.table()).programs_in_a_row, 1U);
}

// Each worker opens the shared memory separately, like a separate process.
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
