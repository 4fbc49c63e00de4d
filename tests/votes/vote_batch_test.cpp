#include "votes/vote_batch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "db/transaction.h"
#include "support/voting.h"

namespace {

using model::Category;
using model::Revote;
using support::kNoon;
using support::kUser;
using support::kVisitor;
using support::moved;
using support::vote;
using support::withdrawal;
using Outcome = votes::VoteResult::Outcome;
using namespace std::chrono_literals;

votes::VoteRequest under(Revote revote, votes::VoteRequest request) {
  request.rules.revote = revote;
  return request;
}

votes::VoteRequest after(std::chrono::minutes delay, votes::VoteRequest request) {
  request.received_at += delay;
  return request;
}

// Tests ratings that a user cast as a visitor before logging in.
class MovedRating : public support::Voting {
 protected:
  std::int64_t ratings_of(model::VoterId voter) {
    return number("SELECT COUNT(*) FROM wp_ratingd_votes WHERE voter = " + std::to_string(voter));
  }
};

TEST_F(MovedRating, UsersRatingTakesThePlaceOfTheVisitors) {
  ASSERT_TRUE(writer_.write(vote(kVisitor, 1000)));
  const auto result = writer_.write(moved(after(60min, vote(kUser, 0))));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::stored);
  EXPECT_EQ(result->voter, kUser);
  EXPECT_EQ(result->previous, 1000);
  EXPECT_EQ(result->own[0], (model::OwnRating{0, kNoon + 60min}));
  EXPECT_EQ(totals(*result, Category::binary).total(), 1);
  EXPECT_EQ(totals(*result, Category::binary).sum, 0);
  EXPECT_EQ(result->stats, stored_stats());
  EXPECT_EQ(ratings_of(kVisitor), 0);
  expect_verified();
}

TEST_F(MovedRating, FullBatchMovesAll) {
  constexpr model::VoterId kUsers = 64;
  std::vector<votes::VoteRequest> before;
  std::vector<votes::VoteRequest> requests;
  for (model::VoterId user = 1; user <= kUsers; ++user) {
    before.push_back(vote(model::kAnonymousBit | user, 1000));
    requests.push_back(moved(vote(user, 0), model::kAnonymousBit | user));
  }
  for (const auto& result : writer_.write_all(before)) ASSERT_TRUE(result);
  for (const auto& result : writer_.write_all(requests)) {
    ASSERT_TRUE(result);
    EXPECT_EQ(result->previous, 1000);
  }
  EXPECT_EQ(stored_stats()[0].total(), std::int64_t{kUsers});
  EXPECT_EQ(stored_stats()[0].sum, 0);
  expect_verified();
}

TEST_F(MovedRating, BrowserThatVotesBeforeAndAfterLoginAtTwoWritersIsCountedOnce) {
  constexpr model::VoterId kUsers = 16;
  votes::VoteWriter other(votes::writer_sessions(database_.endpoint()), caches_, log_, {});
  std::atomic<int> failures = 0;
  const auto vote_often = [&](model::VoterId user) {
    const model::VoterId visitor = model::kAnonymousBit | user;
    for (int round = 0; round < 5; ++round) {
      votes::VoteWriter& writer = round % 2 == 0 ? writer_ : other;
      if (!writer.write(vote(visitor, round % 2 * 1000))) ++failures;
      if (!writer.write(moved(vote(user, (round + 1) % 2 * 1000), visitor))) ++failures;
    }
  };
  std::vector<std::thread> threads;
  for (model::VoterId i = 0; i < 2 * kUsers; ++i) {  // each browser has two open windows
    threads.emplace_back([&, i] { vote_often(i / 2 + 1); });
  }
  for (std::thread& thread : threads) thread.join();
  for (model::VoterId user = 1; user <= kUsers; ++user) {
    ASSERT_TRUE(writer_.write(moved(vote(user, 1000), model::kAnonymousBit | user)));
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(stored_stats()[0].total(), std::int64_t{kUsers});
  expect_verified();
}

// The writer must wait for the lock on the visitor's row, because another writer could store the
// visitor's first vote at the same time.
TEST_F(MovedRating, WaitsForTheLockOfTheVisitor) {
  ASSERT_TRUE(writer_.write(vote(kVisitor, 1000, Category::scale)));
  votes::VoteWriter hasty(votes::writer_sessions(database_.endpoint()), caches_, log_,
                          {.deadline = 300ms});
  db::Connection blocker(database_.endpoint());
  const db::Transaction transaction(blocker);
  blocker.query("SELECT * FROM wp_ratingd_voters WHERE voter = " + std::to_string(kVisitor) +
                " FOR UPDATE");
  const auto result = hasty.write(moved(vote(kUser, 1000)));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), votes::WriteError::unavailable);
  EXPECT_TRUE(writer_.write(moved(vote(kUser + 1, 1000), kVisitor + 1)));
}

class RefusedVoteRequest : public support::Voting {
 protected:
  // Expects that "request" is rejected and does not change anything.
  void expect_refused(const votes::VoteRequest& request, Outcome outcome,
                      std::chrono::seconds wait) {
    const model::Stats before = stored_stats();
    const auto result = writer_.write(request);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->outcome, outcome);
    EXPECT_EQ(result->retry_after, wait);
    EXPECT_EQ(result->previous, 1000);
    EXPECT_EQ(result->stats, before);
    EXPECT_EQ(stored_stats(), before);
    expect_verified();
  }
};

TEST_F(RefusedVoteRequest, ChangesNothing) {
  ASSERT_TRUE(writer_.write(vote(kUser, 1000)));
  for (const votes::VoteRequest& request : {vote(kUser, 0), withdrawal(kUser)}) {
    expect_refused(under(Revote::never, request), Outcome::already_rated, 0s);
    expect_refused(under(Revote::cooldown, after(23h, request)), Outcome::cooling_down, 3600s);
  }
}

TEST_F(RefusedVoteRequest, LeavesTheOthersOfItsBatch) {
  ASSERT_TRUE(writer_.write(vote(kUser, 1000)));
  const auto results =
      writer_.write_all({vote(8, 0), under(Revote::never, vote(kUser, 0)), vote(9, 0)});
  EXPECT_EQ(results[0]->outcome, Outcome::stored);
  EXPECT_EQ(results[1]->outcome, Outcome::already_rated);
  EXPECT_EQ(results[2]->outcome, Outcome::stored);
  EXPECT_EQ(totals(*results[1], Category::binary).total(), 3);
  expect_verified();
}

}  // namespace
