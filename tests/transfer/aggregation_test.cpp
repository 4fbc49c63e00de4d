#include "transfer/aggregation.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/bulk_operations.h"

namespace {

using model::Category;
using model::RatingKey;
using support::aggregate;
using support::at;
using support::kNoon;
using support::kUser;
using support::kVisitor;
using support::on;
using support::rating_of;
using support::vote;
using transfer::MergeCounts;
using transfer::StoredRating;
using namespace std::chrono_literals;

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

// Votes, merges, removals, aggregations and repairs for the same voters and objects run at the same
// time.
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
    transfer::RatingMerge(connection).set_aggregates({&sums, 1});
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

}  // namespace
