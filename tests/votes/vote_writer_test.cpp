#include "votes/vote_writer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "db/transaction.h"
#include "rollups/rollup_state.h"
#include "support/fault_proxy.h"
#include "support/voting.h"

namespace {

using model::Category;
using support::kNoon;
using support::newcomer;
using support::vote;
using support::withdrawal;
using Outcome = votes::VoteResult::Outcome;

class VoteWriter : public support::Voting {};

TEST_F(VoteWriter, FirstVoteIsStoredAndCounted) {
  const auto result = writer_.write(vote(7, 1000));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::stored);
  EXPECT_EQ(result->voter, 7U);
  EXPECT_EQ(result->previous, std::nullopt);
  EXPECT_EQ(totals(*result, Category::binary).total(), 1);
  EXPECT_EQ(totals(*result, Category::binary).last_rated_at, kNoon);
  EXPECT_EQ(result->own[0]->value, 1000);
  EXPECT_EQ(result->stats, stored_stats());
  expect_verified();
}

TEST_F(VoteWriter, ChangedVoteReplacesTheEarlierOne) {
  ASSERT_TRUE(writer_.write(vote(7, 1000)));
  const auto result = writer_.write(vote(7, 0));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->previous, 1000);
  EXPECT_EQ(totals(*result, Category::binary).total(), 1);
  EXPECT_EQ(totals(*result, Category::binary).sum, 0);
  expect_verified();
}

TEST_F(VoteWriter, EqualVoteChangesNothing) {
  ASSERT_TRUE(writer_.write(vote(7, 1000)));
  votes::VoteRequest later = vote(7, 1000);
  later.received_at += std::chrono::hours(1);
  const auto result = writer_.write(later);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::unchanged);
  EXPECT_EQ(result->own[0]->rated_at, kNoon);
  EXPECT_EQ(stored_stats()[0].last_rated_at, kNoon);
}

TEST_F(VoteWriter, CategoriesOfOneObjectDoNotMeet) {
  ASSERT_TRUE(writer_.write(vote(7, 1000, Category::binary)));
  ASSERT_TRUE(writer_.write(vote(7, -1000, Category::bipolar)));
  const auto result = writer_.write(vote(7, 800, Category::scale));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->own[0]->value, 1000);
  EXPECT_EQ(result->own[1]->value, -1000);
  EXPECT_EQ(result->own[2]->value, 800);
  EXPECT_EQ(totals(*result, Category::bipolar).sum, -1000);
  EXPECT_EQ(totals(*result, Category::scale).bins[8], 1);
  expect_verified();
}

TEST_F(VoteWriter, WithdrawnVoteIsRemovedFromAllSums) {
  votes::VoteRequest early = vote(8, 0);
  early.received_at -= std::chrono::hours(5);
  ASSERT_TRUE(writer_.write(early));
  ASSERT_TRUE(writer_.write(vote(7, 1000)));
  const auto result = writer_.write(withdrawal(7));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::withdrawn);
  EXPECT_EQ(result->previous, 1000);
  EXPECT_EQ(totals(*result, Category::binary).total(), 1);
  EXPECT_EQ(totals(*result, Category::binary).last_rated_at, early.received_at);
  expect_verified();
}

TEST_F(VoteWriter, NothingToWithdrawIsSaidSo) {
  const auto result = writer_.write(withdrawal(7));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::nothing_stored);
  EXPECT_EQ(totals(*result, Category::binary).total(), 0);
}

TEST_F(VoteWriter, VotesOfOneVoterInOneBatchAreAppliedInOrder) {
  const auto results =
      writer_.write_all({vote(7, 1000), vote(7, 0), withdrawal(7), vote(7, 1000), vote(7, 0)});
  EXPECT_EQ(results[0]->outcome, Outcome::stored);
  EXPECT_EQ(results[1]->previous, 1000);
  EXPECT_EQ(results[2]->outcome, Outcome::withdrawn);
  EXPECT_EQ(results[3]->previous, std::nullopt);
  EXPECT_EQ(results[4]->previous, 1000);
  EXPECT_EQ(stored_stats()[0].sum, 0);
  EXPECT_EQ(stored_stats()[0].total(), 1);
  expect_verified();
}

TEST_F(VoteWriter, BatchOfAnySizeIsCountedExactly) {
  std::vector<votes::VoteRequest> requests;
  for (model::VoterId voter = 1; voter <= 150; ++voter) {
    requests.push_back(vote(voter, static_cast<model::Thousandths>(voter % 2 * 1000)));
    requests.back().key.object.id = voter % 70 + 1;
  }
  for (const auto& result : writer_.write_all(requests)) ASSERT_TRUE(result);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 150);
  EXPECT_EQ(number("SELECT SUM(total) FROM wp_ratingd_daily"), 150);
  expect_verified();
}

TEST_F(VoteWriter, VotesOfOneBatchGetTheTotalsOfTheirOwnObjects) {
  std::vector<votes::VoteRequest> requests;
  for (const auto& [id, type] : std::vector<std::pair<std::uint64_t, std::string>>{
           {1, "post"}, {2, "post"}, {1, "page"}, {1, "a.type:of_its-own"}, {2, "post"}}) {
    requests.push_back(newcomer(requests.size() + 1, 1000));
    requests.back().key.object = {id, type};
  }
  const auto results = writer_.write_all(requests);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const bool is_twice = requests[i].key.object == model::Object{2, "post"};
    EXPECT_EQ(totals(results[i].value(), Category::binary).total(), is_twice ? 2 : 1) << i;
  }
  expect_verified();
}

// A voter without a cookie may already have voted, because a web server may repeat a request, and a
// client may send a device token again.
TEST_F(VoteWriter, VoterWhoMayBeNewButIsNotHasOneVote) {
  ASSERT_TRUE(writer_.write(newcomer(1, 1000)));
  const auto results =
      writer_.write_all({newcomer(1, 0), newcomer(2, 1000), newcomer(2, 0), vote(7, 1000)});
  for (const auto& result : results) ASSERT_TRUE(result);
  EXPECT_EQ(results[0]->previous, 1000);
  EXPECT_EQ(results[1]->previous, std::nullopt);
  EXPECT_EQ(results[2]->previous, 1000);
  EXPECT_EQ(stored_stats()[0].total(), 3);
  expect_verified();
}

TEST_F(VoteWriter, WritersOfOneNewVoterCountOneVote) {
  votes::VoteWriter other(votes::writer_sessions(database_.endpoint()), caches_, log_, {});
  for (std::uint64_t voter = 1; voter <= 50; ++voter) {
    std::thread repetition([&] { EXPECT_TRUE(other.write(newcomer(voter, 1000))); });
    EXPECT_TRUE(writer_.write(newcomer(voter, 1000)));
    repetition.join();
  }
  EXPECT_EQ(stored_stats()[0].total(), 50);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_voters"), 50);
  expect_verified();
}

TEST_F(VoteWriter, ChangeMovesTheVoteToTheDayOfTheChange) {
  ASSERT_TRUE(writer_.write(vote(7, 1000)));
  votes::VoteRequest later = vote(7, 0);
  later.received_at += std::chrono::hours(12);  // past midnight in Berlin, not in Greenwich
  ASSERT_TRUE(writer_.write(later));
  EXPECT_EQ(number("SELECT total FROM wp_ratingd_daily WHERE day = '2026-11-21'"), 0);
  EXPECT_EQ(number("SELECT total FROM wp_ratingd_daily WHERE day = '2026-11-22'"), 1);
  EXPECT_EQ(number("SELECT negative FROM wp_ratingd_daily WHERE day = '2026-11-22'"), 1);
  expect_verified();
}

TEST_F(VoteWriter, ActivityPairsCountEachDayOfAVoterOnce) {
  ASSERT_TRUE(writer_.write(vote(7, 1000)));
  ASSERT_TRUE(writer_.write(vote(7, 1000, Category::scale)));
  votes::VoteRequest later = vote(7, 0);
  later.received_at += std::chrono::days(3);
  ASSERT_TRUE(writer_.write(later));
  EXPECT_EQ(number("SELECT SUM(voters) FROM wp_ratingd_reach WHERE day = '2026-11-21' AND "
                   "previous_day = '1000-01-01'"),
            1);
  EXPECT_EQ(number("SELECT SUM(voters) FROM wp_ratingd_reach WHERE day = '2026-11-24' AND "
                   "previous_day = '2026-11-21'"),
            1);
  EXPECT_EQ(number("SELECT SUM(voters) FROM wp_ratingd_reach"), 2);
}

TEST_F(VoteWriter, BadVoteRequestFailsAlone) {
  std::vector<votes::VoteRequest> requests;
  for (model::VoterId voter = 1; voter <= 9; ++voter) requests.push_back(vote(voter, 1000));
  requests[4].address = std::string(200, 'x');  // longer than its column
  const auto results = writer_.write_all(requests);
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_EQ(results[i].has_value(), i != 4) << i;
  }
  EXPECT_EQ(results[4].error(), votes::WriteError::failed);
  EXPECT_EQ(stored_stats()[0].total(), 8);
  expect_verified();
}

TEST_F(VoteWriter, ManyVotersOnOneObjectFromTwoWritersAreCountedExactly) {
  votes::VoteWriter other(votes::writer_sessions(database_.endpoint()), caches_, log_, {});
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (model::VoterId i = 0; i < 64; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) {
        // Each of the 32 voters votes through both writers at the same time.
        votes::VoteWriter& writer = i % 2 == 0 ? writer_ : other;
        if (!writer.write(vote(i / 2 + 1, round % 2 * 1000))) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(stored_stats()[0].total(), 32);
  expect_verified();
}

TEST_F(VoteWriter, LostConnectionIsMadeAgain) {
  ASSERT_TRUE(writer_.write(vote(1, 1000)));
  db::Connection killer(database_.endpoint());
  std::vector<std::int64_t> sessions;
  db::Rows row = killer.query(
      "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND "
      "id <> CONNECTION_ID()");
  while (row.next()) sessions.push_back(row.integer(1));
  ASSERT_FALSE(sessions.empty());
  for (const std::int64_t session : sessions) killer.execute("KILL " + std::to_string(session));
  ASSERT_TRUE(writer_.write(vote(2, 1000)));
  EXPECT_EQ(stored_stats()[0].total(), 2);
  expect_verified();
}

class VoteWriterBehindAProxy : public VoteWriter {
 protected:
  VoteWriterBehindAProxy() { endpoint_.server.socket = socket_; }

  const std::string socket_ =
      ::testing::TempDir() + "cut_" + base::to_hex(base::random_bytes(6)) + ".sock";
  db::Endpoint endpoint_ = database_.endpoint();
  support::FaultProxy proxy_{socket_, endpoint_.server.socket};
};

// Tests a writer whose response to a COMMIT is lost. The batch is neither lost nor written twice,
// and the voter receives the result of the first attempt.
class VoteWriterInDoubt : public VoteWriterBehindAProxy,
                          public ::testing::WithParamInterface<support::FaultProxy::Cut> {
 protected:
  // Voter 7 changes a like to a dislike, and the proxy cuts the connection.
  void expect_changed(votes::VoteWriter& writer) {
    proxy_.cut_next(GetParam());
    const auto change = writer.write(vote(7, 0));
    EXPECT_TRUE(proxy_.has_cut());
    ASSERT_TRUE(change);
    EXPECT_EQ(change->outcome, Outcome::stored);
    EXPECT_EQ(change->previous, 1000);
    EXPECT_EQ(totals(*change, Category::binary).total(), 1);
  }
};

TEST_P(VoteWriterInDoubt, BatchIsWrittenOnce) {
  votes::VoteWriter writer(votes::writer_sessions(endpoint_), caches_, log_, {});
  ASSERT_TRUE(writer.write(vote(7, 1000)));

  expect_changed(writer);

  proxy_.cut_next(GetParam());
  const auto withdrawn = writer.write(withdrawal(7));
  EXPECT_TRUE(proxy_.has_cut());
  ASSERT_TRUE(withdrawn);
  EXPECT_EQ(withdrawn->outcome, Outcome::withdrawn);
  EXPECT_EQ(stored_stats()[0].total(), 0);
  expect_verified();
}

TEST_P(VoteWriterInDoubt, RatingIsMovedOnce) {
  votes::VoteWriter writer(votes::writer_sessions(endpoint_), caches_, log_, {});
  const model::VoterId visitor = model::kAnonymousBit | 1;
  ASSERT_TRUE(writer.write(vote(visitor, 1000)));

  votes::VoteRequest request = vote(7, 0);
  request.moved_from = visitor;
  proxy_.cut_next(GetParam());
  const auto result = writer.write(request);
  EXPECT_TRUE(proxy_.has_cut());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::stored);
  EXPECT_EQ(result->previous, 1000);
  EXPECT_EQ(totals(*result, Category::binary).total(), 1);
  EXPECT_EQ(stored_stats()[0].sum, 0);
  expect_verified();
}

TEST_P(VoteWriterInDoubt, LimitsAreUsedOnce) {
  votes::VoteWriter writer(votes::writer_sessions(endpoint_), caches_, log_, {});
  ASSERT_TRUE(writer.write(vote(7, 1000)));

  votes::VoteRequest request = vote(8, 1000);
  request.rules.max_per_day = 9;
  request.rules.of_address = {.limit = 9, .counter = "counter no 1", .ends_at = kNoon};
  proxy_.cut_next(GetParam());
  const auto result = writer.write(request);
  EXPECT_TRUE(proxy_.has_cut());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::stored);
  EXPECT_EQ(number("SELECT used FROM wp_ratingd_counters"), 1);
  EXPECT_EQ(number("SELECT ratings FROM wp_ratingd_voters WHERE voter = 8"), 1);
}

TEST_P(VoteWriterInDoubt, NewVotersAreCountedOnce) {
  votes::VoteWriter writer(votes::writer_sessions(endpoint_), caches_, log_, {});
  ASSERT_TRUE(writer.write(newcomer(1, 1000)));

  proxy_.cut_next(GetParam());
  const auto results = writer.write_all({newcomer(1, 0), newcomer(3, 1000), newcomer(3, 0)});
  EXPECT_TRUE(proxy_.has_cut());
  for (const auto& result : results) {
    ASSERT_TRUE(result);
    EXPECT_EQ(result->outcome, Outcome::stored);
  }
  EXPECT_EQ(results[0]->previous, 1000);
  EXPECT_EQ(results[1]->previous, std::nullopt);
  EXPECT_EQ(results[2]->previous, 1000);
  EXPECT_EQ(stored_stats()[0].total(), 2);
  expect_verified();
}

// The proxy makes the first server unreachable. As after a failover, the second server has the same
// data as the first.
TEST_P(VoteWriterInDoubt, BatchIsLookedForOnTheServerThatTakesOver) {
  endpoint_.primary = std::make_shared<db::Primary>(std::vector<config::DatabaseServer>{
      {"", 0, socket_}, {"", 0, database_.endpoint().server.socket}});
  votes::VoteWriter writer(votes::writer_sessions(endpoint_), caches_, log_, {});
  ASSERT_TRUE(writer.write(vote(7, 1000)));
  EXPECT_EQ(endpoint_.primary->choice().server, 0U);

  proxy_.hide();
  expect_changed(writer);
  EXPECT_EQ(endpoint_.primary->choice().server, 1U);
  expect_verified();
}

// The connection is lost before the COMMIT, and the repeated batch changes nothing. The database
// may still commit the first attempt, so the writer abandons its row in the writers table and adds
// a new one.
TEST_F(VoteWriterBehindAProxy, RowIsGivenUpIfTheRepeatedBatchChangesNothing) {
  const std::string rows = "SELECT COUNT(*) FROM wp_ratingd_writers";
  votes::VoteWriter writer(votes::writer_sessions(endpoint_), caches_, log_, {});
  ASSERT_TRUE(writer_.write(vote(7, 1000)));
  ASSERT_TRUE(writer.write(vote(8, 1000)));
  const std::int64_t before = number(rows);

  proxy_.cut_next(support::FaultProxy::Cut::before_commit,
                  [this] { ASSERT_TRUE(writer_.write(vote(7, 0))); });
  const auto result = writer.write(vote(7, 0));
  EXPECT_TRUE(proxy_.has_cut());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::unchanged);
  EXPECT_EQ(number(rows), before);

  ASSERT_TRUE(writer.write(vote(8, 0)));
  EXPECT_EQ(number(rows), before + 1);
  expect_verified();
}

TEST_F(VoteWriterBehindAProxy, SessionThatCountsFoundRowsIsNotUsed) {
  proxy_.count_found_rows();
  votes::VoteWriter writer(votes::writer_sessions(endpoint_), caches_, log_, {});
  const auto result = writer.write(vote(7, 1000));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), votes::WriteError::unavailable);
  db::Connection connection(endpoint_);
  EXPECT_THROW(rollups::require_changed_rows(connection), std::runtime_error);
  db::Connection other(database_.endpoint());
  rollups::require_changed_rows(other);
}

INSTANTIATE_TEST_SUITE_P(Commit, VoteWriterInDoubt,
                         ::testing::Values(support::FaultProxy::Cut::before_commit,
                                           support::FaultProxy::Cut::after_commit));

TEST_F(VoteWriter, LockedRowHoldsBackOnlyItsOwnVotes) {
  ASSERT_TRUE(writer_.write(vote(1, 1000)));
  db::Connection blocker(database_.endpoint());
  std::vector<votes::VoteRequest> requests = {vote(1, 0), vote(2, 1000)};
  requests[1].key.object.id = 43;
  std::vector<tl::expected<votes::VoteResult, votes::WriteError>> results;
  {
    const db::Transaction transaction(blocker);
    blocker.execute("UPDATE wp_ratingd_voters SET last_day = last_day WHERE voter = 1");
    blocker.query("SELECT * FROM wp_ratingd_voters WHERE voter = 1 FOR UPDATE");
    votes::VoteWriter context(votes::writer_sessions(database_.endpoint()), caches_, log_,
                              {.deadline = std::chrono::seconds(20)});
    results = context.write_all(requests);
  }
  ASSERT_FALSE(results[0]);
  EXPECT_EQ(results[0].error(), votes::WriteError::unavailable);
  EXPECT_TRUE(results[1]);
  expect_verified();
}

// The voter received an error, and may have sent the vote to another worker.
TEST_F(VoteWriter, VoteRequestThatNobodyWaitsForIsNotWritten) {
  ASSERT_TRUE(writer_.write(vote(7, 1000)));
  votes::VoteWriter hasty(votes::writer_sessions(database_.endpoint()), caches_, log_,
                          {.deadline = std::chrono::milliseconds(300)});
  db::Connection blocker(database_.endpoint());
  {
    const db::Transaction transaction(blocker);
    blocker.query("SELECT * FROM wp_ratingd_voters WHERE voter = 7 FOR UPDATE");
    const auto result = hasty.write(vote(7, 0));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), votes::WriteError::unavailable);
  }
  // Before writing the next batch, the writer finishes the batch that contains the timed-out vote.
  tl::expected<votes::VoteResult, votes::WriteError> next =
      tl::unexpected(votes::WriteError::unavailable);
  for (int attempt = 0; !next && attempt < 20; ++attempt) next = hasty.write(vote(8, 0));
  ASSERT_TRUE(next);
  EXPECT_EQ(totals(*next, Category::binary).sum, 1000);
  expect_verified();
}

// Simulates a worker that was suspended while the web server sent the request to another worker.
TEST_F(VoteWriter, VoteRequestThatWasAskedForTooLongAgoIsNotWritten) {
  std::vector<votes::VoteRequest> requests = {vote(7, 0), vote(8, 1000)};
  requests[0].stopwatch = base::Stopwatch(std::chrono::seconds(30));
  ASSERT_TRUE(writer_.write(vote(7, 1000)));
  const auto results = writer_.write_all(requests);
  ASSERT_FALSE(results[0]);
  EXPECT_EQ(results[0].error(), votes::WriteError::unavailable);
  EXPECT_TRUE(results[1]);
  EXPECT_EQ(number("SELECT value FROM wp_ratingd_votes WHERE voter = 7"), 1000);
  expect_verified();
}

TEST_F(VoteWriter, BatchesKeepToTheirLimit) {
  votes::VoteWriter single(votes::writer_sessions(database_.endpoint()), caches_, log_,
                           {.batch_limit = 1});
  for (const auto& result : single.write_all({vote(1, 1000), vote(2, 1000), vote(3, 0)})) {
    ASSERT_TRUE(result);
  }
  // A writer's sequence number is the number of batches that it has written.
  EXPECT_EQ(number("SELECT MAX(sequence) FROM wp_ratingd_writers"), 3);
}

TEST_F(VoteWriter, OnlyTakingTheNewestBackChangesTheTimeOfTheLastRating) {
  for (model::VoterId voter = 1; voter <= 3; ++voter) {
    votes::VoteRequest request = vote(voter, 1000);
    request.received_at += std::chrono::hours(voter);
    ASSERT_TRUE(writer_.write(request));
  }
  const auto middle = writer_.write(withdrawal(2));
  EXPECT_EQ(totals(*middle, Category::binary).last_rated_at, kNoon + std::chrono::hours(3));
  const auto newest = writer_.write(withdrawal(3));
  EXPECT_EQ(totals(*newest, Category::binary).last_rated_at, kNoon + std::chrono::hours(1));
  expect_verified();
}

// A voter's requests may reach the writer out of order.
TEST_F(VoteWriter, EarlierVoteAfterAWithdrawalSetsTheTimeOfTheLastRatingBack) {
  ASSERT_TRUE(writer_.write(vote(7, 1000)));
  votes::VoteRequest early = vote(7, 0);
  early.received_at -= std::chrono::hours(1);
  const auto results = writer_.write_all({withdrawal(7), early});
  ASSERT_TRUE(results[1]);
  EXPECT_EQ(totals(*results[1], Category::binary).last_rated_at, early.received_at);
  expect_verified();
}

TEST_F(VoteWriter, FullQueueRefusesAtOnce) {
  votes::VoteWriter small(votes::writer_sessions(database_.endpoint()), caches_, log_,
                          {.queue_limit = 2});
  EXPECT_TRUE(small.has_room());
  const auto results = small.write_all({vote(1, 1000), vote(2, 1000), vote(3, 1000)});
  for (const auto& result : results) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), votes::WriteError::queue_full);
  }
  const votes::VoteWriter none(votes::writer_sessions(database_.endpoint()), caches_, log_,
                               {.queue_limit = 0});
  EXPECT_FALSE(none.has_room());
}

TEST_F(VoteWriter, StuckOneLetsAFewWaitAndRefusesOthersAtOnce) {
  ASSERT_TRUE(writer_.write(vote(7, 1000)));
  votes::VoteWriter hasty(
      votes::writer_sessions(database_.endpoint()), caches_, log_,
      {.deadline = std::chrono::milliseconds(300), .stuck_after = std::chrono::milliseconds(0)});
  db::Connection blocker(database_.endpoint());
  {
    const db::Transaction transaction(blocker);
    blocker.query("SELECT * FROM wp_ratingd_voters WHERE voter = 7 FOR UPDATE");
    for (const model::VoterId voter : {model::VoterId{7}, model::VoterId{8}}) {
      const auto result = hasty.write(vote(voter, 0));
      ASSERT_FALSE(result);
      EXPECT_EQ(result.error(), votes::WriteError::unavailable);
    }
    const auto results = hasty.write_all(std::vector<votes::VoteRequest>(8, vote(9, 0)));
    ASSERT_FALSE(results.front());
    EXPECT_EQ(results.front().error(), votes::WriteError::queue_full);
  }
  tl::expected<votes::VoteResult, votes::WriteError> next =
      tl::unexpected(votes::WriteError::unavailable);
  for (int attempt = 0; !next && attempt < 60; ++attempt) next = hasty.write(vote(10, 0));
  ASSERT_TRUE(next);
  for (const auto& result : hasty.write_all(std::vector<votes::VoteRequest>(60, vote(11, 0)))) {
    EXPECT_TRUE(result);
  }
}

TEST(VoteWriterWithoutDatabase, SaysUnavailableInTime) {
  db::Endpoint nowhere;
  nowhere.server.socket = "/nonexistent/socket";
  const runtime::Log log(runtime::LogLevel::error);
  support::CacheMemory memory, memory_of_voters;
  const rollups::StatsStore stats(memory.cache());
  votes::OwnRatingsCache own_ratings(memory_of_voters.cache());
  votes::VoteWriter writer(votes::writer_sessions(nowhere), {stats, own_ratings}, log, {});
  const auto result = writer.write(vote(1, 1000));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), votes::WriteError::unavailable);
}

}  // namespace
