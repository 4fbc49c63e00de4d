#include "transfer/bulk_ratings.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "rollups/rebuild.h"
#include "support/reference_db.h"

namespace {

using model::Category;
using model::RatingKey;
using rollups::Aggregate;
using support::at;
using support::Interruption;
using support::kNoon;
using support::kPost;
using support::kUser;
using support::kVisitor;
using support::on;
using support::vote;
using support::withdrawal;
using transfer::MergeCounts;
using transfer::StoredRating;
using namespace std::chrono_literals;

StoredRating rating_of(const votes::VoteRequest& vote_request) {
  return {vote_request.key,
          *vote_request.value,
          vote_request.received_at,
          vote_request.received_at,
          {},
          ""};
}

rollups::Aggregate aggregate(std::int64_t zeros, std::int64_t ones, base::Time last,
                             std::uint64_t object = 42) {
  rollups::Aggregate aggregate{{{object, "post"},
                                Category::binary,
                                std::chrono::floor<std::chrono::days>(kNoon - 300 * 24h),
                                "likes"},
                               {}};
  aggregate.sums.sum = 1000 * ones;
  aggregate.sums.bins.front() = zeros;
  aggregate.sums.bins.back() = ones;
  aggregate.sums.last_rated_at = last;
  return aggregate;
}

class BulkRatings : public support::ReferenceDatabase {
 protected:
  // With "slices", the rebuild is interrupted after so many slices. Returns whether it was
  // completed.
  bool rebuild(const char* zone, int slices = -1) {
    db::Connection connection(database_.ratingctl());
    rollups::RollupRebuild rebuild(connection, base::Zone::named(zone).value(), 50);
    try {
      rebuild.run(
          [&](std::int64_t, std::int64_t) {
            if (slices-- == 0) throw Interruption();
          },
          [] {});
    } catch (const Interruption&) {
      return false;
    }
    return true;
  }
  MergeCounts merge(const StoredRating& rating) { return bulk_.merge({&rating, 1}, memory_); }
  MergeCounts merge(const votes::VoteRequest& vote_request) {
    return merge(rating_of(vote_request));
  }
  std::size_t remove(const RatingKey& key, base::Time before = base::Time::max()) {
    return bulk_.remove({&key, 1}, before);
  }
  std::size_t roll_up_all(base::Time before) {
    std::size_t rolled_up = 0;
    while (const std::size_t more = bulk_.roll_up(before)) rolled_up += more;
    return rolled_up;
  }
  std::string dump(const std::string& what) {
    std::string text;
    for (db::Rows row = connection_.query("SELECT CONCAT_WS(' ', " + what); row.next();) {
      text += row.text(1) + "\n";
    }
    return text;
  }
  std::string site_sums() {
    return dump(
        "category, day, SUM(sum), SUM(bin0), SUM(bin5), SUM(bin8), SUM(bin10)) FROM "
        "wp_ratingd_site_daily GROUP BY category, day ORDER BY category, day");
  }
  std::string object_sums() {
    return dump(
               "object_id, category, sum, bin0, bin5, bin8, bin10, last_rated_at) FROM "
               "wp_ratingd_totals ORDER BY object_id, category") +
           dump(
               "object_id, category, day, total, sum, positive, negative) FROM wp_ratingd_daily "
               "ORDER BY object_id, category, day");
  }
  std::string reach() {
    return dump(
        "day, previous_day, SUM(voters)) FROM wp_ratingd_reach GROUP BY day, previous_day HAVING "
        "SUM(voters) <> 0 ORDER BY day, previous_day");
  }

  const transfer::BulkRatings bulk_{connection_};
  transfer::MergeMemory memory_;
};

TEST_F(BulkRatings, MergedRatingIsAsIfCastAtItsTime) {
  for (const votes::VoteRequest& vote_request :
       {vote(kUser, 1000), vote(kVisitor, 0), vote(kVisitor, 800, Category::scale),
        vote(kUser, -1000, Category::bipolar)}) {
    EXPECT_EQ(merge(vote_request), (MergeCounts{.added = 1}));
    cast_in_reference(vote_request);
  }
  expect_same_as_reference();
}

TEST_F(BulkRatings, RatingsOfAVoterMayComeInAnyOrder) {
  const votes::VoteRequest vote_requests[] = {
      vote(kUser, 1000), at(kNoon - 48h, on(1, vote(kUser, 0))),
      at(kNoon + 48h, on(2, vote(kUser, 1000))), at(kNoon - 24h, on(3, vote(kUser, 1000))),
      at(kNoon - 48h, on(4, vote(kUser, 1000)))};
  for (const unsigned i : {1U, 4U, 3U, 0U, 2U}) cast_in_reference(vote_requests[i]);
  for (const votes::VoteRequest& vote_request : vote_requests) merge(vote_request);
  expect_same_as_reference();
}

TEST_F(BulkRatings, RememberedDaysOfAVoterAreNotTrustedAfterOtherChanges) {
  const votes::VoteRequest first = at(kNoon - 240h, vote(kUser, 1000));
  const votes::VoteRequest second = at(kNoon - 48h, on(1, vote(kUser, 1000)));
  const votes::VoteRequest live = on(2, vote(kUser, 1000));
  const votes::VoteRequest removed = at(kNoon - 120h, on(3, vote(kUser, 1000)));
  const votes::VoteRequest between = at(kNoon - 72h, on(4, vote(kUser, 1000)));
  merge(first);
  merge(second);
  cast(live);  // a later last day
  merge(removed);
  EXPECT_EQ(remove(removed.key), 1U);  // a day less, the same last day
  merge(between);
  for (const auto& vote_request : {first, between, second, live}) cast_in_reference(vote_request);
  expect_same_as_reference();
}

TEST_F(BulkRatings, RememberedDaysAreForgottenByARebuild) {
  cast(at(kNoon - 120h, vote(kUser, 1000)));
  cast(at(kNoon - 119h, withdrawal(kUser)));
  cast(on(1, vote(kUser, 1000)));
  cast_in_reference(at(kNoon - 72h, on(2, vote(kUser, 1000))));
  cast_in_reference(at(kNoon - 48h, on(3, vote(kUser, 1000))));
  cast_in_reference(on(1, vote(kUser, 1000)));
  merge(at(kNoon - 72h, on(2, vote(kUser, 1000))));
  ASSERT_TRUE(rebuild("Europe/Berlin"));  // the day of the withdrawn rating is lost
  merge(at(kNoon - 48h, on(3, vote(kUser, 1000))));
  expect_same_as_reference();
}

TEST_F(BulkRatings, NewRatingsAreMixedWithStoredOnesInAnyOrder) {
  const auto slice = [](model::VoterId from, model::VoterId to) {
    std::vector<StoredRating> ratings;
    for (model::VoterId i = from; i < to; ++i) {
      ratings.push_back(rating_of(at(kNoon - (i % 7) * 24h, on(1 + i % 5, vote(i, 1000)))));
    }
    return ratings;
  };
  EXPECT_EQ(bulk_.merge(slice(1, 600), memory_), (MergeCounts{.added = 599}));
  EXPECT_EQ(bulk_.merge(slice(590, 610), memory_), (MergeCounts{.added = 10, .kept = 10}));
  EXPECT_EQ(bulk_.merge(slice(605, 620), memory_), (MergeCounts{.added = 10, .kept = 5}));
  EXPECT_EQ(bulk_.merge(slice(620, 630), memory_), (MergeCounts{.added = 10}));
  EXPECT_EQ(bulk_.merge(slice(1, 630), memory_), (MergeCounts{.kept = 629}));
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 629);
  expect_verified();
}

TEST_F(BulkRatings, NewerRatingWins) {
  cast(vote(kUser, 1000));
  cast_in_reference(vote(kUser, 1000));
  cast_in_reference(at(kNoon + 48h, vote(kUser, 0)));
  StoredRating newer = rating_of(at(kNoon + 48h, vote(kUser, 0)));
  newer.created_at = kNoon;
  EXPECT_EQ(merge(newer), (MergeCounts{.changed = 1}));
  expect_same_as_reference();
}

TEST_F(BulkRatings, OlderOrEquallyOldRatingLosesToTheStored) {
  cast(vote(kUser, 1000));
  cast_in_reference(vote(kUser, 1000));
  EXPECT_EQ(merge(vote(kUser, 0)), (MergeCounts{.kept = 1}));
  EXPECT_EQ(merge(at(kNoon - 48h, vote(kUser, 0))), (MergeCounts{.kept = 1}));
  expect_same_as_reference();
}

TEST_F(BulkRatings, NewestOfOneSliceWins) {
  const StoredRating ratings[] = {rating_of(at(kNoon - 1h, vote(kUser, 0))),
                                  rating_of(vote(kUser, 1000)),
                                  rating_of(at(kNoon - 2h, vote(kUser, 0)))};
  EXPECT_EQ(bulk_.merge(ratings, memory_), (MergeCounts{.added = 1, .changed = 1, .kept = 1}));
  cast_in_reference(vote(kUser, 1000));
  expect_same_as_reference();
}

TEST_F(BulkRatings, HeldRatingStaysHeld) {
  StoredRating held = rating_of(vote(kVisitor, 1000));
  held.hold = StoredRating::Hold{votes::kOneAgent, kNoon};
  EXPECT_EQ(merge(held), (MergeCounts{.added = 1}));
  EXPECT_EQ(merge(at(kNoon + 24h, vote(kVisitor, 0))), (MergeCounts{.changed = 1}));
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_held"), 1);
  EXPECT_EQ(stored_stats()[0].total(), 0);
  expect_same_as_reference();
}

TEST_F(BulkRatings, CountedRatingIsNotHeldByAMerge) {
  cast(vote(kUser, 1000));
  cast_in_reference(at(kNoon, vote(kUser, 1000)));
  cast_in_reference(at(kNoon + 24h, vote(kUser, 0)));
  StoredRating held = rating_of(at(kNoon + 24h, vote(kUser, 0)));
  held.created_at = kNoon;
  held.hold = StoredRating::Hold{votes::kOneAgent, kNoon};
  EXPECT_EQ(merge(held), (MergeCounts{.changed = 1}));
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_held"), 0);
  expect_same_as_reference();
}

TEST_F(BulkRatings, RemovedRatingIsAsIfNeverCast) {
  const votes::VoteRequest removed = at(kNoon + 24h, vote(kVisitor, 0));
  const votes::VoteRequest others[] = {at(kNoon, on(1, vote(kVisitor, 1000))), vote(kUser, 1000),
                                       at(kNoon + 48h, on(2, vote(kVisitor, 1000)))};
  for (const votes::VoteRequest& vote_request : others) cast_in_reference(vote_request);
  cast(others[0]);
  cast(others[1]);
  cast(removed);
  cast(others[2]);
  EXPECT_EQ(remove(removed.key), 1U);
  EXPECT_EQ(remove(removed.key), 0U);
  expect_same_as_reference();
}

TEST_F(BulkRatings, RemovedRatingsLeaveAnotherOneOfTheSameTime) {
  const votes::VoteRequest first = vote(kVisitor, 0), second = on(1, vote(kVisitor, 1000)),
                           third = on(2, vote(kVisitor, 1000));
  cast_in_reference(third);
  for (const votes::VoteRequest& vote_request : {first, second, third}) cast(vote_request);
  const RatingKey keys[] = {first.key, second.key};
  EXPECT_EQ(bulk_.remove(keys), 2U);
  expect_same_as_reference();
}

TEST_F(BulkRatings, NothingIsLeftOfWhoHasNoRatings) {
  cast(vote(kUser, 1000));
  cast(at(kNoon + 48h, vote(kUser, 0)));
  cast(at(kNoon + 72h, on(1, vote(kUser, 0))));
  cast(at(kNoon + 72h, on(1, withdrawal(kUser))));
  votes::VoteRequest newcomer = vote(kVisitor, 1000);
  newcomer.may_be_new = true;
  cast(newcomer);
  EXPECT_EQ(remove(vote(kUser, 0).key), 1U);
  EXPECT_EQ(remove(newcomer.key), 1U);
  rollups::delete_empty_days(connection_);
  for (const std::string table : {"votes", "voters", "users", "user_daily"}) {
    EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_" + table), 0) << table;
  }
  EXPECT_EQ(reach(), "");
  expect_verified();
}

TEST_F(BulkRatings, HeldRatingIsRemovedWithItsReasons) {
  StoredRating held = rating_of(vote(kVisitor, 1000));
  held.hold = StoredRating::Hold{votes::kOneAgent, kNoon};
  merge(held);
  EXPECT_EQ(remove(held.key), 1U);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_held"), 0);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 0);
}

TEST_F(BulkRatings, RatingChangedMeanwhileIsNotRemoved) {
  cast(vote(kUser, 1000));
  EXPECT_EQ(remove(vote(kUser, 0).key, kNoon), 0U);
  EXPECT_EQ(remove(vote(kUser, 0).key, kNoon + 1us), 1U);
}

TEST_F(BulkRatings, OnlyVotersWithoutRatingsAreForgotten) {
  cast(vote(kUser, 1000));
  cast(vote(kVisitor, 1000));
  cast(withdrawal(kVisitor));
  cast(at(kNoon + 24h, on(1, vote(kVisitor, 1000))));
  cast(at(kNoon + 48h, on(1, withdrawal(kVisitor))));
  const model::VoterId voters[] = {kUser, kVisitor, 8};
  bulk_.remove_unused_voters(voters);
  EXPECT_EQ(dump("voter) FROM wp_ratingd_voters"), "7\n");
  EXPECT_EQ(dump("user_id, total) FROM wp_ratingd_users"), "7 1\n");
  expect_verified();
}

TEST_F(BulkRatings, ErasingAddressesLeavesVotesAndNewerOnes) {
  votes::VoteRequest old = vote(kUser, 1000), newer = at(kNoon + 1h, vote(kVisitor, 1000));
  old.address = newer.address = "h0123456789abcdef";
  old.agent = newer.agent = 5;
  cast(old);
  cast(newer);
  const RatingKey keys[] = {old.key, newer.key, on(1, old).key};
  EXPECT_EQ(bulk_.erase_addresses(keys, kNoon + 1h), 1U);
  EXPECT_EQ(dump("voter) FROM wp_ratingd_votes WHERE address = '' AND agent = 0"), "7\n");
  EXPECT_EQ(bulk_.erase_addresses(keys), 1U);
  EXPECT_EQ(bulk_.erase_addresses(keys), 0U);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 2);
}

TEST_F(BulkRatings, AggregatesAreSetAndNotAdded) {
  const rollups::Aggregate first = aggregate(3, 4, kNoon - 24h);
  cast(vote(kUser, 1000));
  EXPECT_EQ(bulk_.set_aggregates({&first, 1}), (MergeCounts{.added = 1}));
  EXPECT_EQ(bulk_.set_aggregates({&first, 1}), (MergeCounts{.kept = 1}));
  EXPECT_EQ(stored_stats()[0].total(), 8);
  EXPECT_EQ(stored_stats()[0].sum, 5000);
  EXPECT_EQ(stored_stats()[0].last_rated_at, kNoon);
  expect_verified();
  const rollups::Aggregate fewer = aggregate(0, 2, kNoon - 48h);
  EXPECT_EQ(bulk_.set_aggregates({&fewer, 1}), (MergeCounts{.changed = 1}));
  EXPECT_EQ(stored_stats()[0].total(), 3);
  expect_verified();
}

TEST_F(BulkRatings, NewerAggregateWins) {
  const rollups::Aggregate first = aggregate(3, 4, kNoon), same = aggregate(9, 9, kNoon),
                           newer = aggregate(3, 5, kNoon + 1s);
  EXPECT_EQ(bulk_.merge_aggregates({&first, 1}), (MergeCounts{.added = 1}));
  EXPECT_EQ(bulk_.merge_aggregates({&same, 1}), (MergeCounts{.kept = 1}));
  EXPECT_EQ(bulk_.merge_aggregates({&newer, 1}), (MergeCounts{.changed = 1}));
  EXPECT_EQ(stored_stats()[0].total(), 8);
  expect_verified();
}

TEST_F(BulkRatings, RemovedAggregateLeavesTheTimeOfTheVotes) {
  const rollups::Aggregate newest = aggregate(3, 4, kNoon + 24h);
  cast(vote(kUser, 1000));
  bulk_.set_aggregates({&newest, 1});
  EXPECT_EQ(bulk_.remove_aggregates({&newest.key, 1}), 1U);
  EXPECT_EQ(bulk_.remove_aggregates({&newest.key, 1}), 0U);
  EXPECT_EQ(stored_stats()[0].last_rated_at, kNoon);
  EXPECT_EQ(stored_stats()[0].total(), 1);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_balances"), 0);
  expect_verified();
}

TEST_F(BulkRatings, WithdrawnVoteLeavesTheTimeOfTheAggregate) {
  const rollups::Aggregate older = aggregate(3, 4, kNoon - 24h);
  bulk_.set_aggregates({&older, 1});
  cast(vote(kUser, 1000));
  cast(withdrawal(kUser));
  EXPECT_EQ(stored_stats()[0].last_rated_at, kNoon - 24h);
  expect_verified();
}

TEST_F(BulkRatings, RollingUpChangesNoSums) {
  for (model::VoterId voter = 1; voter <= 600; ++voter) {
    const base::Time time = kNoon + voter * 10min;
    cast(at(time, on(voter % 7 + 1, vote(voter, voter % 2 == 0 ? 0 : 1000))));
    cast(at(time, on(voter % 5 + 1, vote(voter | model::kAnonymousBit, 800, Category::scale))));
  }
  const std::string site = site_sums(), objects = object_sums(), before = reach();
  EXPECT_EQ(roll_up_all(kNoon + 90h), 2U * 539);
  EXPECT_EQ(roll_up_all(kNoon + 90h), 0U);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 2 * 61);
  EXPECT_EQ(site_sums(), site);
  EXPECT_EQ(object_sums(), objects);
  EXPECT_EQ(reach(), before);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_users"), 61);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_voters"), 1200);
  expect_verified();
}

TEST_F(BulkRatings, AggregatesStayInARebuild) {
  for (model::VoterId voter = 1; voter <= 300; ++voter) {
    cast(at(kNoon + voter * 10min, on(voter % 7 + 1, vote(voter, voter % 2 == 0 ? 0 : 1000))));
  }
  roll_up_all(kNoon + 30h);
  const std::string site = site_sums(), objects = object_sums();
  EXPECT_TRUE(rebuild("Europe/Berlin"));
  EXPECT_EQ(site_sums(), site);
  EXPECT_EQ(object_sums(), objects);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_users"), 121);
  EXPECT_TRUE(rebuild("Asia/Tokyo"));
  expect_verified();
}

// Each kind of change, at each stage of a rebuild.
TEST_F(BulkRatings, SumsThatARebuildIsMakingChangeToo) {
  const auto vote_request = [](unsigned i) {
    const model::VoterId voter = (i % 23 + 1) | (i % 3 == 0 ? model::kAnonymousBit : 0);
    return at(kNoon + i * 37min, on(i % 40 + 1, vote(voter, i % 2 == 0 ? 0 : 1000)));
  };
  unsigned next = 0;
  const auto merge_more = [&](unsigned count) {
    std::vector<StoredRating> ratings;
    for (const unsigned end = next + count; next < end; ++next) {
      ratings.push_back(rating_of(vote_request(next)));
    }
    bulk_.merge(ratings, memory_);
  };
  for (unsigned i = 0; i < 4; ++i) merge_more(200);
  for (unsigned object = 1; object <= 40; ++object) {
    const rollups::Aggregate sums = aggregate(object, 1, kNoon, object);
    bulk_.set_aggregates({&sums, 1});
  }

  unsigned interruptions = 0;
  while (!rebuild("Asia/Tokyo", 1)) {
    ++interruptions;
    merge_more(30);
    std::vector<RatingKey> removed;
    for (unsigned i = 0; i < 10; ++i) removed.push_back(vote_request(interruptions * 31 + i).key);
    bulk_.remove(removed);
    bulk_.remove_unused_voters(std::vector<model::VoterId>{interruptions % 23 + 1, 30});
    bulk_.roll_up(kNoon + interruptions * 6h);
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned object = (interruptions * 7 + i * 13) % 40 + 1;
      const rollups::Aggregate sums =
          aggregate(interruptions, i + 1, kNoon + interruptions * 1h, object);
      if (i > 0) bulk_.set_aggregates({&sums, 1});
      if (i == 0) bulk_.remove_aggregates({&sums.key, 1});
    }
    expect_verified();
  }
  EXPECT_GT(interruptions, 8U);
  expect_verified();
}

TEST_F(BulkRatings, RolledUpRatingIsNotImportedAgain) {
  cast(vote(kUser, 1000));
  EXPECT_EQ(bulk_.rolled_up_before(), std::nullopt);
  EXPECT_EQ(roll_up_all(kNoon + 1h), 1U);
  EXPECT_EQ(bulk_.rolled_up_before(), kNoon + 1h);
  EXPECT_EQ(merge(vote(kUser, 1000)), (MergeCounts{.rolled_up = 1}));
  EXPECT_EQ(merge(at(kNoon + 1h, vote(kUser, 1000))), (MergeCounts{.added = 1}));
  EXPECT_EQ(stored_stats()[0].total(), 2);
  bulk_.clear_roll_up();
  EXPECT_EQ(merge(on(1, vote(kUser, 1000))), (MergeCounts{.added = 1}));
  expect_verified();
}

TEST_F(BulkRatings, NewVoterWithoutAStoredRatingWasNeverActive) {
  cast(vote(kUser, 1000));
  EXPECT_EQ(roll_up_all(kNoon + 1h), 1U);
  EXPECT_EQ(merge(vote(kVisitor, 1000)), (MergeCounts{.rolled_up = 1}));
  EXPECT_EQ(dump("last_day) FROM wp_ratingd_voters WHERE voter <> " + std::to_string(kUser)),
            "1000-01-01\n");
  expect_verified();
}

TEST_F(BulkRatings, HeldRatingsAreNotRolledUp) {
  StoredRating held = rating_of(vote(kVisitor, 1000));
  held.hold = StoredRating::Hold{votes::kOneAgent, kNoon};
  merge(held);
  EXPECT_EQ(roll_up_all(kNoon + 1h), 0U);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 1);
}

// Votes, merges, removals, roll-ups and rebuilds of the same voters and objects, all at once.
TEST_F(BulkRatings, SumsStayExactWhileVotesArrive) {
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
    transfer::BulkRatings(connection).merge(ratings, memory_);
  }));
  threads.push_back(repeat(60, [&](unsigned i) {
    thread_local db::Connection connection(database_.endpoint());
    std::vector<RatingKey> keys;
    for (unsigned n = 0; n < 20; ++n) keys.push_back(key(i * 13 + n).key);
    transfer::BulkRatings(connection).remove(keys);
  }));
  threads.push_back(repeat(60, [&](unsigned i) {
    thread_local db::Connection connection(database_.endpoint());
    const transfer::BulkRatings bulk(connection);
    bulk.roll_up(kNoon + i * 1min);
    const rollups::Aggregate sums = aggregate(i % 3, i % 5 + 1, kNoon + i * 1s, i % 9 + 1);
    bulk.set_aggregates({&sums, 1});
  }));
  std::atomic<bool> is_over = false;
  std::thread rebuilds([&] {
    const char* zones[] = {"Asia/Tokyo", "America/New_York"};
    for (std::size_t i = 0; !is_over; ++i) {
      rebuild(zones[i % 2]);
      expect_verified();
    }
  });
  for (std::thread& thread : threads) thread.join();
  is_over = true;
  rebuilds.join();
  expect_verified();
}

}  // namespace
