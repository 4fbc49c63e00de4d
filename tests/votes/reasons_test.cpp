// Tests that lib/votes/vote_writer.h stores and removes the reasons for low votes.

#include "store/reasons.h"

#include <gtest/gtest.h>

#include "support/voting.h"

namespace {

using model::Category;
using model::Revote;
using support::at;
using support::because;
using support::kNoon;
using support::kPost;
using support::kUser;
using support::kVisitor;
using support::vote;
using support::withdrawal;
using Outcome = votes::VoteResult::Outcome;
using namespace std::chrono_literals;

class LowVoteReasons : public support::Voting {
 protected:
  votes::VoteResult cast(const votes::VoteRequest& request) {
    const auto result = writer_.write(request);
    EXPECT_TRUE(result);
    return result.value_or(votes::VoteResult());
  }
  // Returns the voter's reason for the rating of kPost, or an empty string.
  std::string reason_of(model::VoterId voter, Category category = Category::binary) {
    const base::Time rated_at = connection_
                                    .query(
                                        "SELECT rated_at FROM wp_ratingd_votes WHERE"
                                        " object_id = 42 AND category = ? AND voter = ?",
                                        category, voter)
                                    .first([](const db::Rows& row) { return row.time(1); })
                                    .value_or(base::Time());
    const model::Rating rating{{kPost, category, voter}, 0, rated_at};
    const auto reasons = store::reasons_of(connection_, {&rating, 1});
    return reasons.empty() ? "" : reasons.begin()->second;
  }
  std::int64_t rows() { return number("SELECT COUNT(*) FROM wp_ratingd_reasons"); }

  db::Connection connection_{database_.endpoint()};
};

TEST_F(LowVoteReasons, ComesWithTheVote) {
  const auto result = cast(because("Too short", vote(kUser, 0)));
  EXPECT_EQ(result.outcome, Outcome::stored);
  EXPECT_TRUE(result.has_reason);
  EXPECT_EQ(reason_of(kUser), "Too short");
}

TEST_F(LowVoteReasons, VoteWithoutOneAddsNoRow) {
  EXPECT_FALSE(cast(vote(kUser, 0)).has_reason);
  votes::VoteRequest newcomer = support::newcomer(5, 0);
  cast(newcomer);
  EXPECT_EQ(rows(), 0);
}

TEST_F(LowVoteReasons, OfANewVoterIsStored) {
  cast(because("Too short", support::newcomer(5, 0)));
  EXPECT_EQ(reason_of(model::kAnonymousBit | 5), "Too short");
}

TEST_F(LowVoteReasons, AnotherOneIsAChange) {
  votes::VoteRequest request = vote(kUser, 0);
  cast(because("Too short", request));
  request.rules.revote = Revote::never;
  EXPECT_EQ(cast(because("Too long", request)).outcome, Outcome::already_rated);
  EXPECT_EQ(reason_of(kUser), "Too short");
  request.rules.revote = Revote::replace;
  EXPECT_EQ(cast(because("Too long", request)).outcome, Outcome::unchanged);
  EXPECT_EQ(reason_of(kUser), "Too long");
}

TEST_F(LowVoteReasons, StaysWhileTheValueIsLow) {
  cast(because("Too short", vote(kUser, 200, Category::scale)));
  EXPECT_TRUE(cast(at(kNoon + 1h, vote(kUser, 400, Category::scale))).has_reason);
  EXPECT_EQ(reason_of(kUser, Category::scale), "Too short");
  EXPECT_FALSE(cast(at(kNoon + 2h, vote(kUser, 800, Category::scale))).has_reason);
  EXPECT_EQ(rows(), 0);
}

TEST_F(LowVoteReasons, GoesWithTheVote) {
  cast(because("Too short", vote(kUser, 0)));
  cast(because("Too loud", vote(kVisitor, 0)));
  cast(withdrawal(kUser));
  EXPECT_EQ(rows(), 1);
  EXPECT_EQ(reason_of(kVisitor), "Too loud");
}

TEST_F(LowVoteReasons, PassesToTheUserWithTheRating) {
  cast(because("Too short", vote(kVisitor, 200, Category::scale)));
  votes::VoteRequest request = at(kNoon + 1h, vote(kUser, 400, Category::scale));
  request.moved_from = kVisitor;
  EXPECT_TRUE(cast(request).has_reason);
  EXPECT_EQ(reason_of(kUser, Category::scale), "Too short");
  EXPECT_EQ(rows(), 1);
}

TEST_F(LowVoteReasons, OneBatchTakesTheLongestOfAll) {
  std::string longest;
  for (int i = 0; i < 1000; ++i) longest += "\U0001F600";
  std::vector<votes::VoteRequest> requests;
  for (std::uint64_t i = 0; i < 200; ++i) {
    requests.push_back(because(longest, support::newcomer(100 + i, 0)));
  }
  for (const auto& result : writer_.write_all(std::move(requests))) EXPECT_TRUE(result);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_reasons WHERE CHAR_LENGTH(reason) = 1000"),
            200);
  EXPECT_EQ(reason_of(model::kAnonymousBit | 100), longest);
}

// Workers that still run the previous version change votes, but not the reasons for these votes.
TEST_F(LowVoteReasons, NoVoteHasThoseThatWorkersOfTheVersionBeforeLeave) {
  cast(because("Too short", vote(kUser, 0)));
  cast(because("Too loud", vote(kVisitor, 0)));
  cast(because("Too old", support::newcomer(5, 0)));
  connection_.execute("DELETE FROM wp_ratingd_votes WHERE voter = 7");
  connection_.execute(
      "UPDATE wp_ratingd_votes SET rated_at = rated_at + INTERVAL 1 SECOND"
      " WHERE voter = " +
      std::to_string(kVisitor));
  EXPECT_FALSE(cast(at(kNoon + 2s, vote(kUser, 0))).has_reason);
  EXPECT_EQ(reason_of(kUser) + reason_of(kVisitor), "");
  EXPECT_EQ(store::remove_unused_reasons(connection_), 2U);
  EXPECT_EQ(store::remove_unused_reasons(connection_), 0U);
  EXPECT_EQ(reason_of(model::kAnonymousBit | 5), "Too old");
}

}  // namespace
