#include "transfer/rating_removal.h"

#include <gtest/gtest.h>

#include <string>

#include "support/bulk_operations.h"

namespace {

using model::RatingKey;
using support::aggregate;
using support::at;
using support::kNoon;
using support::kUser;
using support::kVisitor;
using support::on;
using support::rating_of;
using support::vote;
using support::withdrawal;
using transfer::StoredRating;
using namespace std::chrono_literals;

class RatingRemoval : public support::BulkOperations {};

TEST_F(RatingRemoval, RemovedRatingIsAsIfNeverCast) {
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

TEST_F(RatingRemoval, RemovedRatingsLeaveAnotherOneOfTheSameTime) {
  const votes::VoteRequest first = vote(kVisitor, 0), second = on(1, vote(kVisitor, 1000)),
                           third = on(2, vote(kVisitor, 1000));
  cast_in_reference(third);
  for (const votes::VoteRequest& vote_request : {first, second, third}) cast(vote_request);
  const RatingKey keys[] = {first.key, second.key};
  EXPECT_EQ(removal_.remove(keys), 2U);
  expect_same_as_reference();
}

TEST_F(RatingRemoval, NothingIsLeftOfWhoHasNoRatings) {
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

TEST_F(RatingRemoval, HeldRatingIsRemovedWithItsReasons) {
  StoredRating held = rating_of(vote(kVisitor, 1000));
  held.hold = StoredRating::Hold{votes::kOneAgent, kNoon};
  merge(held);
  EXPECT_EQ(remove(held.key), 1U);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_held"), 0);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 0);
}

TEST_F(RatingRemoval, RatingChangedMeanwhileIsNotRemoved) {
  cast(vote(kUser, 1000));
  EXPECT_EQ(remove(vote(kUser, 0).key, kNoon), 0U);
  EXPECT_EQ(remove(vote(kUser, 0).key, kNoon + 1us), 1U);
}

TEST_F(RatingRemoval, OnlyVotersWithoutRatingsAreForgotten) {
  cast(vote(kUser, 1000));
  cast(vote(kVisitor, 1000));
  cast(withdrawal(kVisitor));
  cast(at(kNoon + 24h, on(1, vote(kVisitor, 1000))));
  cast(at(kNoon + 48h, on(1, withdrawal(kVisitor))));
  const model::VoterId voters[] = {kUser, kVisitor, 8};
  removal_.remove_unused_voters(voters);
  EXPECT_EQ(dump("voter) FROM wp_ratingd_voters"), "7\n");
  EXPECT_EQ(dump("user_id, total) FROM wp_ratingd_users"), "7 1\n");
  expect_verified();
}

TEST_F(RatingRemoval, ErasingAddressesLeavesVotesAndNewerOnes) {
  votes::VoteRequest old = vote(kUser, 1000), newer = at(kNoon + 1h, vote(kVisitor, 1000));
  old.address = newer.address = "h0123456789abcdef";
  old.agent = newer.agent = 5;
  cast(old);
  cast(newer);
  const RatingKey keys[] = {old.key, newer.key, on(1, old).key};
  EXPECT_EQ(removal_.erase_addresses(keys, kNoon + 1h), 1U);
  EXPECT_EQ(dump("voter) FROM wp_ratingd_votes WHERE address = '' AND agent = 0"), "7\n");
  EXPECT_EQ(removal_.erase_addresses(keys), 1U);
  EXPECT_EQ(removal_.erase_addresses(keys), 0U);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 2);
}

TEST_F(RatingRemoval, RemovedAggregateLeavesTheTimeOfTheVotes) {
  const rollups::Aggregate newest = aggregate(3, 4, kNoon + 24h);
  cast(vote(kUser, 1000));
  merge_.merge_aggregates({&newest, 1}, true);
  EXPECT_EQ(removal_.remove_aggregates({&newest.key, 1}), 1U);
  EXPECT_EQ(removal_.remove_aggregates({&newest.key, 1}), 0U);
  EXPECT_EQ(stored_stats()[0].last_rated_at, kNoon);
  EXPECT_EQ(stored_stats()[0].total(), 1);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_balances"), 0);
  expect_verified();
}

}  // namespace
