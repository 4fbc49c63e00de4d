// Measures the cost of a batch of votes: the time from the first statement to the commit, and the
// processor time of this process and the database server.
//
//   tests/sandbox/with_mariadb.py build/release/tests/bench/batch_bench

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "support/voting.h"

namespace {

constexpr std::uint64_t kObjects = 10'000;

// Returns the processor time that a process has used so far, in seconds.
double processor_time_of(const std::string& process) {
  std::ifstream stat("/proc/" + process + "/stat");
  std::string text;
  std::getline(stat, text);
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string field;
  for (int i = 0; i < 11; ++i) fields >> field;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::string process_of_database(db::Connection& connection) {
  db::Rows row = connection.query("SELECT @@pid_file");
  if (!row.next()) return {};
  std::ifstream file(row.text(1));
  std::string process;
  file >> process;
  return process;
}

// Casts votes from new voters, as is usual on a website. The limits for votes per network
// address are in effect.
class Voting : public support::Voting {
 public:
  void TestBody() override {}

  std::vector<votes::VoteRequest> batch(std::size_t size) {
    std::vector<votes::VoteRequest> requests;
    for (std::size_t i = 0; i < size; ++i) {
      ++count_;
      votes::VoteRequest request = support::newcomer(random_(), count_ % 2 == 0 ? 1000 : 0);
      request.key.object.id = random_() % kObjects + 1;
      request.may_be_new = true;
      request.address = "h" + std::to_string(1'000'000'000'000'000 + count_);
      for (votes::SharedLimit* limit : {&request.rules.of_address, &request.rules.new_voters}) {
        limit->limit = 20;
        limit->counter = (limit == &request.rules.of_address ? "a" : "b") +
                         std::to_string(10'000'000'000 + count_);
        limit->ends_at = support::kNoon + std::chrono::hours(24);
      }
      requests.push_back(std::move(request));
    }
    return requests;
  }
  votes::VoteWriter& writer() { return writer_; }
  db::Connection& connection() { return connection_; }

 private:
  db::Connection connection_{database_.endpoint()};
  std::mt19937_64 random_{std::random_device()()};
  std::uint64_t count_ = 0;
};

void Batch(benchmark::State& state) {
  Voting voting;
  const std::string database = process_of_database(voting.connection());
  const std::string self = std::to_string(getpid());
  const auto size = static_cast<std::size_t>(state.range(0));
  const double before = processor_time_of(database), own_before = processor_time_of(self);
  double votes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto requests = voting.batch(size);
    state.ResumeTiming();
    for (const auto& result : voting.writer().write_all(std::move(requests))) {
      if (!result || result->outcome != votes::VoteResult::Outcome::stored)
        state.SkipWithError("a vote failed");
    }
    votes += static_cast<double>(size);
  }
  constexpr double kMicroseconds = 1e6;
  state.counters["database_us_per_vote"] =
      (processor_time_of(database) - before) * kMicroseconds / votes;
  state.counters["own_us_per_vote"] =
      (processor_time_of(self) - own_before) * kMicroseconds / votes;
}
BENCHMARK(Batch)->Arg(1)->Arg(26)->Arg(100)->UseRealTime()->MinTime(3);

}  // namespace

BENCHMARK_MAIN();
