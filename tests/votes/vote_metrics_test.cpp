// Tests the metrics of lib/votes/vote_writer.h.

#include <gtest/gtest.h>

#include "db/transaction.h"
#include "support/metrics_memory.h"
#include "support/voting.h"

namespace {

using runtime::Count;
using support::at;
using support::kNoon;
using support::newcomer;
using support::vote;
using support::withdrawal;
using namespace std::chrono_literals;

class VoteMetrics : public support::Voting {
 protected:
  // Changes a vote while another transaction holds the lock on the voter's row. Returns when the
  // batch has ended.
  void refuse_behind_a_lock(std::chrono::milliseconds deadline) {
    ASSERT_TRUE(writer_.write(vote(7, 1000)));
    auto options = counting();
    options.deadline = deadline;
    db::Connection blocker(database_.endpoint());
    votes::VoteWriter writer(votes::writer_sessions(database_.endpoint()), caches_, log_, options);
    const db::Transaction transaction(blocker);
    blocker.query("SELECT * FROM wp_ratingd_voters WHERE voter = 7 FOR UPDATE");
    EXPECT_FALSE(writer.write(vote(7, 0)));
  }

  votes::VoteWriter::Options counting() {
    votes::VoteWriter::Options options;
    options.metrics = &metrics_.metrics();
    return options;
  }
  template <typename What>
  std::uint64_t total(What what) {
    return metrics_.total(what);
  }
  runtime::Distribution sizes() {
    return runtime::distribution(metrics_.table(), runtime::Measure::batch_size);
  }

  support::MetricsMemory metrics_;
};

TEST_F(VoteMetrics, CountWhatBecomesOfEachVoteRequest) {
  votes::VoteWriter writer(votes::writer_sessions(database_.endpoint()), caches_, log_, counting());
  writer.write_all({vote(1, 1000), vote(2, 1000), vote(1, 1000)});
  writer.write_all({withdrawal(2), withdrawal(3)});
  votes::VoteRequest late = vote(1, 0);
  late.rules.revote = model::Revote::never;
  EXPECT_TRUE(writer.write(late));
  EXPECT_EQ(total(votes::VoteResult::Outcome::stored), 2U);
  EXPECT_EQ(total(votes::VoteResult::Outcome::unchanged), 1U);
  EXPECT_EQ(total(votes::VoteResult::Outcome::withdrawn), 1U);
  EXPECT_EQ(total(votes::VoteResult::Outcome::nothing_stored), 1U);
  EXPECT_EQ(total(votes::VoteResult::Outcome::already_rated), 1U);
  EXPECT_EQ(total(Count::vote_timed_out), 0U);
}

TEST_F(VoteMetrics, MeasureBatchesAndTheirCommits) {
  votes::VoteWriter writer(votes::writer_sessions(database_.endpoint()), caches_, log_, counting());
  writer.write_all({vote(1, 1000), vote(2, 1000), vote(3, 0)});
  EXPECT_EQ(sizes().count(), 1U);
  EXPECT_EQ(sizes().sum, 3U);
  const auto batch = runtime::distribution(metrics_.table(), runtime::Measure::batch_duration);
  const auto commit = runtime::distribution(metrics_.table(), runtime::Measure::commit_duration);
  EXPECT_EQ(commit.count(), 1U);
  EXPECT_GT(commit.sum, 0U);
  EXPECT_GT(batch.sum, commit.sum);
}

TEST_F(VoteMetrics, KnownVoterAmongNewOnesIsAConflictOnlyWithARowLikeANewOne) {
  votes::VoteWriter writer(votes::writer_sessions(database_.endpoint()), caches_, log_, counting());
  ASSERT_TRUE(writer.write(newcomer(1, 1000)));
  const auto changed = writer.write_all({at(kNoon + 1min, newcomer(1, 0)), newcomer(2, 1000)});
  ASSERT_TRUE(changed[0] && changed[1]);
  EXPECT_EQ(changed[0]->previous, 1000);
  EXPECT_EQ(total(Count::retry_conflict), 0U);

  const auto again = writer.write_all({newcomer(1, 1000), newcomer(3, 1000)});
  ASSERT_TRUE(again[0] && again[1]);
  EXPECT_EQ(again[0]->previous, 0);
  EXPECT_EQ(total(Count::retry_conflict), 1U);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 3);
  expect_verified();
}

TEST_F(VoteMetrics, CountWhatFindsNoPlaceInTheQueue) {
  auto options = counting();
  options.queue_limit = 2;
  votes::VoteWriter writer(votes::writer_sessions(database_.endpoint()), caches_, log_, options);
  writer.write_all({vote(1, 1000), vote(2, 1000), vote(3, 1000)});
  EXPECT_EQ(total(Count::vote_queue_full), 3U);
  EXPECT_EQ(sizes().count(), 0U);
}

TEST_F(VoteMetrics, CountWhatFindsNoDatabase) {
  const runtime::Log silent(runtime::LogLevel::error);
  db::Endpoint nowhere = database_.endpoint();
  nowhere.server.socket = "/nowhere";
  votes::VoteWriter writer(votes::writer_sessions(nowhere), caches_, silent, counting());
  EXPECT_FALSE(writer.write(vote(1, 1000)));
  EXPECT_EQ(total(Count::vote_unavailable), 1U);
  EXPECT_EQ(writer.waiting(), 0U);
}

// A worker counts a timed-out vote only as timed out, because the voter sends the vote again,
// possibly to another worker.
TEST_F(VoteMetrics, CountAVoteOnceThatNobodyWaitsForAnyMore) {
  refuse_behind_a_lock(std::chrono::milliseconds(300));
  EXPECT_EQ(total(Count::vote_timed_out), 1U);
  EXPECT_EQ(total(Count::vote_unavailable), 0U);
  EXPECT_EQ(total(votes::VoteResult::Outcome::stored), 0U);
}

TEST_F(VoteMetrics, CountWhyABatchIsTriedAgain) {
  refuse_behind_a_lock(std::chrono::seconds(20));
  EXPECT_EQ(total(Count::retry_lock_wait), 1U);
  EXPECT_EQ(total(Count::vote_unavailable), 1U);
}

}  // namespace
