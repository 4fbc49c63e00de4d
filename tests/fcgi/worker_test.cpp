#include "fcgi/worker.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "support/service.h"
#include "support/web_server.h"

namespace {

using namespace std::chrono_literals;
using support::WebServer;

const std::string kHealth = "/wp-json/ratingd/v1/health";

const std::string kRate = "/wp-json/ratingd/v1/rate";
const std::string kVote = R"({"object_id":42,"category":"binary","value":1})";
const std::string kStats = "/wp-json/ratingd/v1/stats/4";
const std::string kNowhere = "/nowhere";

// Waits up to 30 seconds for "condition" to become true, and returns whether it did.
bool comes_true(const std::function<bool()>& condition) {
  const base::Stopwatch stopwatch;
  while (!condition()) {
    if (stopwatch.elapsed() > 30s) return false;
    std::this_thread::yield();
  }
  return true;
}

// Locks the row that every batch of votes locks first.
class Blocked {
 public:
  explicit Blocked(db::Connection& connection) : connection_(connection) {
    connection_.execute("START TRANSACTION");
    db::Rows row =
        connection_.query("SELECT id FROM wp_ratingd_rollup_state WHERE id = 1 FOR UPDATE");
    EXPECT_TRUE(row.next());
  }
  Blocked(const Blocked&) = delete;
  Blocked& operator=(const Blocked&) = delete;
  ~Blocked() { end(); }

  void end() const { connection_.execute("ROLLBACK"); }

 private:
  db::Connection& connection_;
};

class Worker : public ::testing::Test {
 protected:
  static void expect_answer(const std::string& answer) {
    EXPECT_TRUE(answer.starts_with("Status: 200 OK\r\n")) << answer;
    EXPECT_NE(answer.find("\r\n\r\n{"), std::string::npos) << answer;
  }

  support::Service service_;
  const base::SystemClock clock_{};
  const support::Listener listener_;
  fcgi::Worker worker_{listener_.descriptor(), service_.sites(), clock_};
};

TEST_F(Worker, AnswersTheRequestsOfAKeptConnection) {
  worker_.start(2);
  WebServer server(listener_);
  for (int i = 0; i < 3; ++i) expect_answer(server.get(kHealth));
}

TEST_F(Worker, UnknownPathIsNotFound) {
  worker_.start(1);
  EXPECT_TRUE(WebServer(listener_).get(kNowhere).starts_with("Status: 404"));
}

TEST_F(Worker, IdleConnectionsHoldNoThread) {
  worker_.start(1);
  std::vector<std::unique_ptr<WebServer>> servers;
  for (int i = 0; i < 20; ++i) servers.push_back(std::make_unique<WebServer>(listener_));
  for (int round = 0; round < 2; ++round) {
    for (const auto& server : servers) expect_answer(server->get(kHealth));
  }
  EXPECT_TRUE(comes_true([&] { return worker_.busy() == 0; }));
}

TEST_F(Worker, ThreadsAnswerAtTheSameTime) {
  worker_.start(2);
  WebServer slow(listener_);
  slow.send_begin(kHealth);
  EXPECT_TRUE(comes_true([&] { return worker_.busy() == 1; }));
  expect_answer(WebServer(listener_).get(kHealth));
  slow.send_end();
  expect_answer(slow.receive());
}

TEST_F(Worker, ConnectionsFromManyThreadsAreAllAnswered) {
  constexpr int kThreads = 8;
  constexpr int kRequests = 50;
  worker_.start(4);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      WebServer server(listener_);
      // The requests have no deadline, because the test might miss a deadline on a busy machine.
      for (int i = 0; i < kRequests; ++i) {
        EXPECT_TRUE(server.get(kNowhere).starts_with("Status: 404"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Worker, ConnectionThatEndsInTheMiddleOfARequestIsLetGo) {
  worker_.start(1);
  WebServer server(listener_);
  server.send_begin(kHealth);
  EXPECT_TRUE(comes_true([&] { return worker_.busy() == 1; }));
  server.hang_up();
  expect_answer(WebServer(listener_).get(kHealth));
}

TEST_F(Worker, DrainingClosesIdleConnections) {
  worker_.start(2);
  WebServer server(listener_);
  expect_answer(server.get(kHealth));
  EXPECT_FALSE(worker_.is_idle());
  EXPECT_TRUE(worker_.drain(30s));
  EXPECT_TRUE(worker_.is_idle());
  EXPECT_TRUE(server.is_closed());
}

TEST_F(Worker, DrainingAnswersWhatHasBegun) {
  worker_.start(1);
  WebServer server(listener_);
  server.send_begin(kHealth);
  EXPECT_TRUE(comes_true([&] { return worker_.busy() == 1; }));
  EXPECT_FALSE(worker_.drain(0ms)) << "a request is under way";
  server.send_end();
  expect_answer(server.receive());
  EXPECT_TRUE(worker_.drain(30s));
  EXPECT_TRUE(server.is_closed());
}

TEST_F(Worker, StoppedWorkerAcceptsNoConnection) {
  worker_.start(1);
  ASSERT_TRUE(worker_.drain(30s));
  WebServer server(listener_);  // the connection waits in the socket's queue, for another worker
  server.send_begin(kHealth);
  server.send_end();
  EXPECT_EQ(worker_.busy(), 0U);
  EXPECT_TRUE(worker_.is_idle());
}

TEST_F(Worker, VotesAreAnsweredThoughTheyOccupyNoThread) {
  constexpr int kVotes = 40;
  worker_.start(1);
  const Blocked blocked(service_.connection());
  std::vector<std::unique_ptr<WebServer>> servers;
  for (int i = 0; i < kVotes; ++i) {
    servers.push_back(std::make_unique<WebServer>(listener_));
    servers.back()->send_post(kRate, kVote);
  }
  ASSERT_TRUE(comes_true([&] { return worker_.unanswered_votes() == kVotes; }));
  expect_answer(WebServer(listener_).get(kHealth));
  EXPECT_TRUE(comes_true([&] { return worker_.busy() == 0; }));
  blocked.end();
  for (const auto& server : servers) expect_answer(server->receive());
}

TEST_F(Worker, VoteThatIsNotWrittenInTimeIsAnsweredAtItsDeadline) {
  worker_.start(1);
  WebServer server(listener_);
  {
    const Blocked blocked(service_.connection());
    server.send_post(kRate, kVote);
    EXPECT_TRUE(server.receive().starts_with("Status: 503"));
  }
  server.send_post(kRate, kVote);  // the connection is kept
  expect_answer(server.receive());
}

TEST_F(Worker, DrainingAnswersVotesThatWait) {
  worker_.start(2);
  std::vector<std::unique_ptr<WebServer>> servers;
  const Blocked blocked(service_.connection());
  for (int i = 0; i < 20; ++i) {
    servers.push_back(std::make_unique<WebServer>(listener_));
    servers.back()->send_post(kRate, kVote);
  }
  ASSERT_TRUE(comes_true([&] { return worker_.unanswered_votes() == servers.size(); }));
  EXPECT_FALSE(worker_.drain(0ms)) << "votes wait";
  blocked.end();
  for (const auto& server : servers) expect_answer(server->receive());
  EXPECT_TRUE(worker_.drain(30s));
}

TEST_F(Worker, VoteOfAClientThatLeftIsStored) {
  worker_.start(1);
  {
    WebServer server(listener_);
    const Blocked blocked(service_.connection());
    server.send_post(kRate, kVote);
    ASSERT_TRUE(comes_true([&] { return worker_.unanswered_votes() == 1; }));
    server.hang_up();
  }
  EXPECT_TRUE(comes_true([&] { return worker_.unanswered_votes() == 0; }));
  db::Rows row = service_.connection().query("SELECT COUNT(*) FROM wp_ratingd_votes");
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.integer(1), 1);
  expect_answer(WebServer(listener_).get(kHealth));
}

// The last free thread does not wait for the database and continues handling other requests.
TEST_F(Worker, RequestsThatNeedNoDatabaseAreAnsweredWhileAllOthersWait) {
  worker_.start(1);
  WebServer cached(listener_);
  expect_answer(cached.get(kStats));  // fills the cache
  WebServer slow(listener_);
  slow.send_begin(kHealth);  // occupies the thread that may wait
  ASSERT_TRUE(comes_true([&] { return worker_.busy() == 1; }));
  EXPECT_TRUE(WebServer(listener_).get(kStats + "9").starts_with("Status: 503"));
  expect_answer(cached.get(kStats));
  slow.send_end();
  expect_answer(slow.receive());
  expect_answer(WebServer(listener_).get(kStats + "9"));
}

TEST_F(Worker, GaugesReportItsState) {
  runtime::Workers& workers = service_.workers();
  worker_.join(workers);
  worker_.start(3);
  WebServer server(listener_);
  server.send_begin(kHealth);
  ASSERT_TRUE(comes_true([&] { return worker_.busy() == 1; }));
  worker_.publish(workers);
  ASSERT_EQ(workers.all().size(), 1U);
  const runtime::Workers::Shown shown = workers.all().front();
  EXPECT_EQ(shown.at(runtime::Gauge::threads), 3U);
  EXPECT_EQ(shown.at(runtime::Gauge::threads_busy), 1U);
  EXPECT_EQ(shown.at(runtime::Gauge::processes), service_.app().monitoring.configured_workers);
  EXPECT_EQ(shown.at(runtime::Gauge::queue), 0U);
  EXPECT_EQ(shown.at(runtime::Gauge::queue_limit), service_.app().voting.writer.queue_limit());
  EXPECT_EQ(shown.at(runtime::Gauge::sessions_busy), 0U);
  EXPECT_GT(shown.at(runtime::Gauge::started_at), 0U);
  server.send_end();
  expect_answer(server.receive());
  ASSERT_TRUE(comes_true([&] { return worker_.busy() == 0; }));
  worker_.publish(workers);
  EXPECT_EQ(workers.all().front().at(runtime::Gauge::threads_busy), 0U);
}

}  // namespace
