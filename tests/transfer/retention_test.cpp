#include "transfer/retention.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/timestamp.h"
#include "rollups/rollup_state.h"
#include "support/bulk_operations.h"
#include "support/clock.h"
#include "support/database.h"
#include "support/voting.h"

namespace {

using namespace std::chrono_literals;
using model::Category;
using model::RatingKey;
using support::aggregate;
using support::at;
using support::kNoon;
using support::kNow;
using support::kUser;
using support::kVisitor;
using support::on;
using support::rating_of;
using support::vote;
using support::withdrawal;
using transfer::IdleVoters;
using transfer::MergeCounts;
using transfer::StoredRating;

class AddressRetention : public ::testing::Test {
 protected:
  void add_votes(int count, base::Time rated_at) {
    for (int i = 0; i < count; ++i) {
      connection_.execute(
          "INSERT INTO wp_ratingd_votes (object_id, object_type, category, voter, value,"
          " created_at, rated_at, address) VALUES (1, 'post', 0, ?, 1000, ?, ?, 'h')",
          std::int64_t{++voter_}, rated_at, rated_at);
    }
  }
  std::int64_t erase(base::Time before) {
    return transfer::erase_old_addresses(connection_, before);
  }
  std::int64_t addresses() {
    db::Rows row = connection_.query("SELECT COUNT(*) FROM wp_ratingd_votes WHERE address <> ''");
    return row.next() ? row.integer(1) : -1;
  }

  support::Database database_;
  db::Connection connection_{database_.endpoint()};
  std::int64_t voter_ = 0;
};

TEST_F(AddressRetention, AddressesOfOldVotesAreErasedAndOthersStay) {
  add_votes(3, kNow - 1h);
  add_votes(2, kNow);
  EXPECT_EQ(erase(kNow), 3);
  EXPECT_EQ(addresses(), 2);
  EXPECT_EQ(erase(kNow), 0);
}

TEST_F(AddressRetention, ManyVotesOfOneMomentAreOneSlice) {
  add_votes(1203, kNow - 1h);
  add_votes(601, kNow - 59min);
  EXPECT_EQ(erase(kNow), 1804);
  EXPECT_EQ(addresses(), 0);
}

TEST_F(AddressRetention, TheNextCallReadsNewerVotesOnly) {
  EXPECT_EQ(erase(kNow), 0);
  add_votes(1, kNow - 1h);  // not read, because no vote is cast in the past
  add_votes(1, kNow + 1h);
  EXPECT_EQ(erase(kNow + 2h), 1);
}

TEST_F(AddressRetention, AnEarlierLimitErasesNothing) {
  add_votes(1, kNow);
  EXPECT_EQ(erase(kNow + 1h), 1);
  EXPECT_EQ(erase(kNow), 0);
}

TEST_F(AddressRetention, AClockThatWasAheadDoesNotEndIt) {
  add_votes(1, kNow - 1h);
  EXPECT_EQ(erase(kNow + std::chrono::years(1)), 1);
  EXPECT_EQ(erase(kNow), 0);
  add_votes(1, kNow + 1h);
  EXPECT_EQ(erase(kNow + 2h), 1);
}

class Aggregation : public support::BulkOperations {};

TEST_F(Aggregation, RollingUpChangesNoSums) {
  for (model::VoterId voter = 1; voter <= 600; ++voter) {
    const base::Time time = kNoon + voter * 10min;
    cast(at(time, on(voter % 7 + 1, vote(voter, voter % 2 == 0 ? 0 : 1000))));
    cast(at(time, on(voter % 5 + 1, vote(voter | model::kAnonymousBit, 800, Category::scale))));
  }
  const std::string site = site_sums(), objects = object_sums(), before = reach();
  EXPECT_EQ(aggregate_all(kNoon + 90h), 2U * 539);
  EXPECT_EQ(aggregate_all(kNoon + 90h), 0U);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 2 * 61);
  EXPECT_EQ(site_sums(), site);
  EXPECT_EQ(object_sums(), objects);
  EXPECT_EQ(reach(), before);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_users"), 61);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_voters"), 1200);
  expect_verified();
}

TEST_F(Aggregation, AggregatesStayInARepair) {
  for (model::VoterId voter = 1; voter <= 300; ++voter) {
    cast(at(kNoon + voter * 10min, on(voter % 7 + 1, vote(voter, voter % 2 == 0 ? 0 : 1000))));
  }
  aggregate_all(kNoon + 30h);
  const std::string site = site_sums(), objects = object_sums();
  const auto users = number("SELECT COUNT(*) FROM wp_ratingd_users");
  db::Connection(database_.owner()).execute("UPDATE wp_ratingd_totals SET sum = sum + 1");
  EXPECT_TRUE(repair());
  EXPECT_EQ(site_sums(), site);
  EXPECT_EQ(object_sums(), objects);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_users"), users);
  expect_verified();
}

TEST_F(Aggregation, RolledUpRatingIsNotImportedAgain) {
  cast(vote(kUser, 1000));
  EXPECT_EQ(aggregation_.aggregated_before(), std::nullopt);
  EXPECT_EQ(aggregate_all(kNoon + 1h), 1U);
  EXPECT_EQ(aggregation_.aggregated_before(), kNoon + 1h);
  EXPECT_EQ(merge(vote(kUser, 1000)), (MergeCounts{.too_old = 1}));
  EXPECT_EQ(merge(at(kNoon + 1h, vote(kUser, 1000))), (MergeCounts{.added = 1}));
  EXPECT_EQ(stored_stats()[0].total(), 2);
  aggregation_.clear_aggregated_before();
  EXPECT_EQ(merge(on(1, vote(kUser, 1000))), (MergeCounts{.added = 1}));
  expect_verified();
}

TEST_F(Aggregation, NewVoterWithoutAStoredRatingWasNeverActive) {
  cast(vote(kUser, 1000));
  EXPECT_EQ(aggregate_all(kNoon + 1h), 1U);
  EXPECT_EQ(merge(vote(kVisitor, 1000)), (MergeCounts{.too_old = 1}));
  EXPECT_EQ(dump("last_day) FROM wp_ratingd_voters WHERE voter <> " + std::to_string(kUser)),
            "1000-01-01\n");
  expect_verified();
}

TEST_F(Aggregation, HeldRatingsAreNotRolledUp) {
  StoredRating held = rating_of(vote(kVisitor, 1000));
  held.hold = StoredRating::Hold{votes::kOneAgent, kNoon};
  merge(held);
  EXPECT_EQ(aggregate_all(kNoon + 1h), 0U);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 1);
}

// Concurrent votes, merges, removals, aggregations and repairs change the same voters and objects.
TEST_F(Aggregation, SumsStayExactWhileVotesArrive) {
  const auto key = [](unsigned i) {
    return on(i % 9 + 1, vote(i % 40 + 1, i * 7 % 2 == 0 ? 0 : 1000));
  };
  const auto repeat = [](unsigned times, const auto& work) {
    return std::thread([times, work] {
      for (unsigned i = 0; i < times; ++i) work(i);
    });
  };
  std::vector<std::thread> threads;
  for (unsigned n = 0; n < 2; ++n) {
    threads.push_back(repeat(300, [&, n](unsigned i) {
      EXPECT_TRUE(writer_.write(at(kNoon + i * 1min, key(i * 3 + n))));
    }));
  }
  threads.push_back(repeat(60, [&](unsigned i) {
    thread_local db::Connection connection(database_.endpoint());
    std::vector<StoredRating> ratings;
    for (unsigned n = 0; n < 50; ++n) {
      ratings.push_back(rating_of(at(kNoon + (n + i) * 7min, key(i * 11 + n))));
    }
    transfer::RatingMerge(connection).merge(ratings, memory_);
  }));
  threads.push_back(repeat(60, [&](unsigned i) {
    thread_local db::Connection connection(database_.endpoint());
    std::vector<RatingKey> keys;
    for (unsigned n = 0; n < 20; ++n) keys.push_back(key(i * 13 + n).key);
    transfer::RatingRemoval(connection).remove(keys);
  }));
  threads.push_back(repeat(60, [&](unsigned i) {
    thread_local db::Connection connection(database_.endpoint());
    transfer::Aggregation(connection).aggregate(kNoon + i * 1min);
    const rollups::Aggregate sums = aggregate(i % 3, i % 5 + 1, kNoon + i * 1s, i % 9 + 1);
    transfer::RatingMerge(connection).merge_aggregates({&sums, 1}, true);
  }));
  std::atomic<bool> is_over = false;
  std::thread repairs([&] {
    while (!is_over) {
      EXPECT_TRUE(repair());
      expect_verified();
    }
  });
  for (std::thread& thread : threads) thread.join();
  is_over = true;
  repairs.join();
  expect_verified();
}

// Returns a vote request with a limit of ten votes per day.
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

// The last active day of a forgotten voter is kept, so that the voter is not counted twice.
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
