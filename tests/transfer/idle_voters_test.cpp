#include "transfer/idle_voters.h"

#include <gtest/gtest.h>

#include <string>

#include "base/timestamp.h"
#include "rollups/rollup_state.h"
#include "support/voting.h"
#include "transfer/retention.h"

namespace {

using support::at;
using support::kNoon;
using support::kUser;
using support::kVisitor;
using support::vote;
using support::withdrawal;
using transfer::IdleVoters;
using namespace std::chrono_literals;

// Returns a vote that counts towards a limit per day.
votes::VoteRequest counted_vote() {
  votes::VoteRequest vote_request = vote(kVisitor, 1000);
  vote_request.rules.max_per_day = 10;
  return vote_request;
}

class IdleVotersTest : public support::Voting {
 protected:
  void cast(const votes::VoteRequest& vote_request) { ASSERT_TRUE(writer_.write(vote_request)); }
  IdleVoters forget(base::Time now, std::chrono::seconds cooldown = 0s) {
    return transfer::forget_idle_voters(connection_, now, cooldown);
  }
  std::int64_t rows(const std::string& table) {
    return number("SELECT COUNT(*) FROM wp_ratingd_" + table);
  }
  std::int64_t times() { return rows("voters WHERE last_rated_at > '1970-01-01'"); }
  std::int64_t counts() { return rows("voters WHERE ratings > 0"); }
  // Returns the number of voters who were active on the day that contains kNoon.
  std::int64_t active() {
    return number("SELECT COALESCE(SUM(voters), 0) FROM wp_ratingd_reach WHERE day = DATE('" +
                  base::to_datetime(kNoon) + "')");
  }

  db::Connection connection_{database_.endpoint()};
};

TEST_F(IdleVotersTest, RowOfAVoterWhoWithdrewGoesWhenTheDayIsOver) {
  cast(vote(kVisitor, 1000));
  cast(vote(kUser, 1000));
  cast(withdrawal(kVisitor));
  cast(withdrawal(kUser));
  ASSERT_EQ(active(), 2);
  EXPECT_EQ(forget(kNoon + 1h), IdleVoters());
  EXPECT_EQ(rows("voters"), 2);
  EXPECT_EQ(forget(kNoon + 24h), (IdleVoters{.deleted = 2}));
  for (const char* table : {"voters", "users", "user_daily"}) EXPECT_EQ(rows(table), 0) << table;
  EXPECT_EQ(active(), 0);
  expect_verified();
  EXPECT_EQ(forget(kNoon + 24h), IdleVoters());
}

TEST_F(IdleVotersTest, VotersWithVotesStay) {
  cast(vote(kVisitor, 1000));
  EXPECT_EQ(forget(kNoon + 48h, 0s), IdleVoters());
  EXPECT_EQ(rows("voters"), 1);
  EXPECT_EQ(active(), 1);
}

TEST_F(IdleVotersTest, CooldownOutlastsTheDay) {
  const base::ZoneHistory zones = rollups::stored_zones(connection_);
  const base::Time late = zones.start_of(zones.day_of(kNoon) + std::chrono::days(1)) - 30s;
  cast(at(late, vote(kVisitor, 1000)));
  cast(at(late, withdrawal(kVisitor)));
  EXPECT_EQ(forget(late + 10min, 1h), IdleVoters());
  EXPECT_EQ(forget(late + 61min, 1h), (IdleVoters{.deleted = 1}));
  expect_verified();
}

TEST_F(IdleVotersTest, VoterWhoseRatingsMovedToAUserIsForgotten) {
  cast(vote(kVisitor, 1000));
  votes::VoteRequest moved = at(kNoon + 1h, vote(kUser, 0));
  moved.moved_from = kVisitor;
  cast(moved);
  EXPECT_EQ(forget(kNoon + 24h), (IdleVoters{.deleted = 1}));
  EXPECT_EQ(rows("voters WHERE voter = " + std::to_string(kUser)), 1);
  expect_verified();
}

// Their days still count, so that nobody is counted twice.
TEST_F(IdleVotersTest, RolledUpVotersKeepTheDayWithoutTimeAndNumber) {
  cast(counted_vote());
  ASSERT_EQ(transfer::aggregate_old_ratings(connection_, kNoon + 1h), 1U);
  ASSERT_EQ(times() + counts(), 2);
  EXPECT_EQ(forget(kNoon + 48h), (IdleVoters{.erased = 1}));
  EXPECT_EQ(rows("voters WHERE last_day > '1000-01-01'"), 1);
  EXPECT_EQ(times() + counts(), 0);
  EXPECT_EQ(active(), 1);
  expect_verified();
  EXPECT_EQ(forget(kNoon + 48h), IdleVoters());
}

TEST_F(IdleVotersTest, ManyAreForgottenInSlices) {
  for (std::uint64_t i = 1; i <= 600; ++i) {
    connection_.execute(
        "INSERT INTO wp_ratingd_voters (voter, last_day, last_rated_at) VALUES (?, '1000-01-01', "
        "?)",
        model::kAnonymousBit | i, kNoon);
  }
  EXPECT_EQ(forget(kNoon + 24h), (IdleVoters{.deleted = 600}));
}

TEST_F(IdleVotersTest, TimeAndNumberGoAtOnceUnlessALimitNeedsThem) {
  const auto left_with = [&](transfer::VoterLimits limits) {
    cast(counted_vote());
    cast(withdrawal(kVisitor));
    transfer::forget_last_rating(connection_, kVisitor, limits);
    const std::pair left(times(), counts());
    connection_.execute("DELETE FROM wp_ratingd_voters");
    return left;
  };
  EXPECT_EQ(left_with({}), std::pair(0L, 0L));
  EXPECT_EQ(left_with({.cooldown = 1s}), std::pair(1L, 0L));
  EXPECT_EQ(left_with({.has_daily_maximum = true}), std::pair(0L, 1L));
  EXPECT_EQ(left_with({.cooldown = 1s, .has_daily_maximum = true}), std::pair(1L, 1L));
}

TEST_F(IdleVotersTest, TimeOfAVoterWithVotesStays) {
  cast(vote(kVisitor, 1000));
  transfer::forget_last_rating(connection_, kVisitor, {});
  EXPECT_EQ(times(), 1);
}

}  // namespace
