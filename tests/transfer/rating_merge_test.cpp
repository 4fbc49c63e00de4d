#include "transfer/rating_merge.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/bulk_operations.h"

namespace {

using namespace std::chrono_literals;
using model::Category;
using support::aggregate;
using support::at;
using support::kNoon;
using support::kUser;
using support::kVisitor;
using support::on;
using support::rating_of;
using support::vote;
using support::withdrawal;
using transfer::MergeCounts;
using transfer::StoredRating;

class RatingMerge : public support::BulkOperations {};

TEST_F(RatingMerge, MergedRatingIsAsIfCastAtItsTime) {
  for (const votes::VoteRequest& vote_request :
       {vote(kUser, 1000), vote(kVisitor, 0), vote(kVisitor, 800, Category::scale),
        vote(kUser, -1000, Category::bipolar)}) {
    EXPECT_EQ(merge(vote_request), (MergeCounts{.added = 1}));
    cast_in_reference(vote_request);
  }
  expect_same_as_reference();
}

TEST_F(RatingMerge, RatingsOfAVoterMayComeInAnyOrder) {
  const votes::VoteRequest vote_requests[] = {
      vote(kUser, 1000), at(kNoon - 48h, on(1, vote(kUser, 0))),
      at(kNoon + 48h, on(2, vote(kUser, 1000))), at(kNoon - 24h, on(3, vote(kUser, 1000))),
      at(kNoon - 48h, on(4, vote(kUser, 1000)))};
  for (const unsigned i : {1U, 4U, 3U, 0U, 2U}) cast_in_reference(vote_requests[i]);
  for (const votes::VoteRequest& vote_request : vote_requests) merge(vote_request);
  expect_same_as_reference();
}

TEST_F(RatingMerge, RememberedDaysOfAVoterAreNotTrustedAfterOtherChanges) {
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

TEST_F(RatingMerge, NewRatingsAreMixedWithStoredOnesInAnyOrder) {
  const auto slice = [](model::VoterId from, model::VoterId to) {
    std::vector<StoredRating> ratings;
    for (model::VoterId i = from; i < to; ++i) {
      ratings.push_back(rating_of(at(kNoon - (i % 7) * 24h, on(1 + i % 5, vote(i, 1000)))));
    }
    return ratings;
  };
  EXPECT_EQ(merge_.merge(slice(1, 600), memory_), (MergeCounts{.added = 599}));
  EXPECT_EQ(merge_.merge(slice(590, 610), memory_), (MergeCounts{.added = 10, .kept = 10}));
  EXPECT_EQ(merge_.merge(slice(605, 620), memory_), (MergeCounts{.added = 10, .kept = 5}));
  EXPECT_EQ(merge_.merge(slice(620, 630), memory_), (MergeCounts{.added = 10}));
  EXPECT_EQ(merge_.merge(slice(1, 630), memory_), (MergeCounts{.kept = 629}));
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 629);
  expect_verified();
}

TEST_F(RatingMerge, NewerRatingWins) {
  cast(vote(kUser, 1000));
  cast_in_reference(vote(kUser, 1000));
  cast_in_reference(at(kNoon + 48h, vote(kUser, 0)));
  StoredRating newer = rating_of(at(kNoon + 48h, vote(kUser, 0)));
  newer.created_at = kNoon;
  EXPECT_EQ(merge(newer), (MergeCounts{.changed = 1}));
  expect_same_as_reference();
}

TEST_F(RatingMerge, OlderOrEquallyOldRatingLosesToTheStored) {
  cast(vote(kUser, 1000));
  cast_in_reference(vote(kUser, 1000));
  EXPECT_EQ(merge(vote(kUser, 0)), (MergeCounts{.kept = 1}));
  EXPECT_EQ(merge(at(kNoon - 48h, vote(kUser, 0))), (MergeCounts{.kept = 1}));
  expect_same_as_reference();
}

TEST_F(RatingMerge, NewestOfOneSliceWins) {
  const StoredRating ratings[] = {rating_of(at(kNoon - 1h, vote(kUser, 0))),
                                  rating_of(vote(kUser, 1000)),
                                  rating_of(at(kNoon - 2h, vote(kUser, 0)))};
  EXPECT_EQ(merge_.merge(ratings, memory_), (MergeCounts{.added = 1, .changed = 1, .kept = 1}));
  cast_in_reference(vote(kUser, 1000));
  expect_same_as_reference();
}

TEST_F(RatingMerge, HeldRatingStaysHeld) {
  StoredRating held = rating_of(vote(kVisitor, 1000));
  held.hold = StoredRating::Hold{votes::kOneAgent, kNoon};
  EXPECT_EQ(merge(held), (MergeCounts{.added = 1}));
  EXPECT_EQ(merge(at(kNoon + 24h, vote(kVisitor, 0))), (MergeCounts{.changed = 1}));
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_held"), 1);
  EXPECT_EQ(stored_stats()[0].total(), 0);
  expect_same_as_reference();
}

TEST_F(RatingMerge, CountedRatingIsNotHeldByAMerge) {
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

TEST_F(RatingMerge, AggregatesAreSetAndNotAdded) {
  const rollups::Aggregate first = aggregate(3, 4, kNoon - 24h);
  cast(vote(kUser, 1000));
  EXPECT_EQ(merge_.merge_aggregates({&first, 1}, true), (MergeCounts{.added = 1}));
  EXPECT_EQ(merge_.merge_aggregates({&first, 1}, true), (MergeCounts{.kept = 1}));
  EXPECT_EQ(stored_stats()[0].total(), 8);
  EXPECT_EQ(stored_stats()[0].sum, 5000);
  EXPECT_EQ(stored_stats()[0].last_rated_at, kNoon);
  expect_verified();
  const rollups::Aggregate fewer = aggregate(0, 2, kNoon - 12h);
  EXPECT_EQ(merge_.merge_aggregates({&fewer, 1}, true), (MergeCounts{.changed = 1}));
  EXPECT_EQ(stored_stats()[0].total(), 3);
  expect_verified();
}

TEST_F(RatingMerge, NewerAggregateWins) {
  const rollups::Aggregate first = aggregate(3, 4, kNoon), same = aggregate(9, 9, kNoon),
                           newer = aggregate(3, 5, kNoon + 1s);
  EXPECT_EQ(merge_.merge_aggregates({&first, 1}), (MergeCounts{.added = 1}));
  EXPECT_EQ(merge_.merge_aggregates({&same, 1}), (MergeCounts{.kept = 1}));
  EXPECT_EQ(merge_.merge_aggregates({&newer, 1}), (MergeCounts{.changed = 1}));
  EXPECT_EQ(stored_stats()[0].total(), 8);
  expect_verified();
}

TEST_F(RatingMerge, WithdrawnVoteLeavesTheTimeOfTheAggregate) {
  const rollups::Aggregate older = aggregate(3, 4, kNoon - 24h);
  merge_.merge_aggregates({&older, 1}, true);
  cast(vote(kUser, 1000));
  cast(withdrawal(kUser));
  EXPECT_EQ(stored_stats()[0].last_rated_at, kNoon - 24h);
  expect_verified();
}

TEST_F(RatingMerge, AggregateThatIsSkippedLeavesNoRow) {
  cast(at(kNoon - 300 * 24h, vote(kUser, 1000)));
  rollups::Aggregate given = aggregate(1, 2, kNoon - 300 * 24h);
  given.key.source = transfer::kRetention;
  EXPECT_EQ(merge_.merge_aggregates({&given, 1}), (MergeCounts{.kept = 1}));
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_balances"), 0);
  expect_verified();
}

}  // namespace
