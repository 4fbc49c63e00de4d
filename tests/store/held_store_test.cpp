#include "store/held_store.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "support/twins.h"

namespace {

using model::Category;
using model::RatingKey;
using store::HeldRating;
using store::kFewNetworks;
using store::kOneAgent;
using support::at;
using support::kNoon;
using support::kPost;
using support::kPrefix;
using support::on;
using support::vote;
using namespace std::chrono_literals;

constexpr model::VoterId kUser = 7;
constexpr model::VoterId kVisitor = model::kAnonymousBit | 1;

class HeldStore : public support::Twins {
 protected:
  // Stores "ballot" as held, as a batch of votes does it.
  void cast_held(const store::Ballot& ballot, store::Reasons reasons = kOneAgent) {
    const std::string key = "object_id = " + std::to_string(ballot.key.object.id) +
                            ", object_type = '" + ballot.key.object.type + "', category = " +
                            std::to_string(static_cast<int>(ballot.key.category)) +
                            ", voter = " + std::to_string(ballot.key.voter);
    connection_.execute("SET @at = '1970-01-01' + INTERVAL " +
                        std::to_string(ballot.received_at.time_since_epoch().count()) +
                        " MICROSECOND");
    connection_.execute("INSERT INTO wp_ratingd_votes SET " + key +
                        ", value = " + std::to_string(*ballot.value) +
                        ", held = 1, created_at = @at, rated_at = @at, agent = 5");
    connection_.execute("INSERT INTO wp_ratingd_held SET " + key +
                        ", reasons = " + std::to_string(reasons) + ", held_at = @at");
  }

  const store::HeldStore held_{kPrefix};
};

TEST_F(HeldStore, HeldRatingsAreNotCounted) {
  cast(vote(kUser, 1000));
  cast_in_twin(vote(kUser, 1000));
  cast_held(vote(kVisitor, 0));
  expect_like_twin();
}

TEST_F(HeldStore, ListHasTheLastHeldFirst) {
  cast_held(vote(kVisitor, 800, Category::scale), kOneAgent);
  cast_held(at(kNoon + 1h, on(43, vote(kUser, 0))), kFewNetworks);
  const HeldRating visitors{{{kPost, Category::scale, kVisitor}, 800, kNoon}, kOneAgent, kNoon};
  const HeldRating users{
      {{{43, "post"}, Category::binary, kUser}, 0, kNoon + 1h}, kFewNetworks, kNoon + 1h};
  EXPECT_EQ(held_.list(connection_, {}, 0, 10), (std::vector{users, visitors}));
  EXPECT_EQ(held_.list(connection_, {}, 1, 10), std::vector{visitors});
  EXPECT_EQ(held_.list(connection_, kPost, 0, 10), std::vector{visitors});
  EXPECT_EQ(held_.count(connection_, {}), 2);
  EXPECT_EQ(held_.count(connection_, kPost), 1);
}

TEST_F(HeldStore, ReleasedRatingIsAsIfCastAtItsTime) {
  const store::Ballot ballots[] = {vote(kUser, 1000), vote(kVisitor, 0),
                                   vote(kVisitor, 800, Category::scale),
                                   vote(kUser, -1000, Category::bipolar)};
  std::vector<RatingKey> keys;
  for (const store::Ballot& ballot : ballots) {
    cast_held(ballot);
    cast_in_twin(ballot);
    keys.push_back(ballot.key);
  }
  EXPECT_EQ(held_.release(connection_, keys), 4U);
  EXPECT_EQ(held_.count(connection_, {}), 0);
  expect_like_twin();
}

TEST_F(HeldStore, ReleasedRatingStandsBetweenActiveDays) {
  const store::Ballot before = at(kNoon - 48h, on(1, vote(kUser, 1000)));
  const store::Ballot held = vote(kUser, 1000);
  const store::Ballot after = at(kNoon + 48h, on(2, vote(kUser, 0)));
  cast(before);
  cast_held(held);
  cast(after);
  for (const store::Ballot& ballot : {before, held, after}) cast_in_twin(ballot);
  EXPECT_EQ(held_.release(connection_, {&held.key, 1}), 1U);
  expect_like_twin();
}

TEST_F(HeldStore, ReleasedRatingMayBeTheFirstOfAUser) {
  const store::Ballot held = vote(kUser, 1000);
  const store::Ballot after = at(kNoon + 1h, on(2, vote(kUser, 0)));
  cast_held(held);
  cast(after);
  cast_in_twin(held);
  cast_in_twin(after);
  EXPECT_EQ(held_.release(connection_, {&held.key, 1}), 1U);
  expect_like_twin();
}

TEST_F(HeldStore, ReleasedRatingIsNeverSuspectedAgain) {
  const store::Ballot held = vote(kVisitor, 1000);
  cast_held(held);
  EXPECT_EQ(held_.release(connection_, {&held.key, 1}), 1U);
  EXPECT_EQ(number("SELECT agent FROM wp_ratingd_votes"), 0);
}

TEST_F(HeldStore, RepeatedReleaseCountsOnce) {
  const store::Ballot held = vote(kVisitor, 1000);
  const RatingKey twice[] = {held.key, held.key};
  cast_held(held);
  cast_in_twin(held);
  EXPECT_EQ(held_.release(connection_, twice), 1U);
  EXPECT_EQ(held_.release(connection_, twice), 0U);
  expect_like_twin();
}

TEST_F(HeldStore, DroppedRatingIsGone) {
  cast(vote(kUser, 1000));
  cast_in_twin(vote(kUser, 1000));
  const store::Ballot held = vote(kVisitor, 0);
  cast_held(held);
  EXPECT_EQ(held_.drop(connection_, {&held.key, 1}), 1U);
  EXPECT_EQ(held_.count(connection_, {}), 0);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 1);
  expect_like_twin();
}

TEST_F(HeldStore, CountedRatingsAreNeitherReleasedNorDropped) {
  const store::Ballot counted = vote(kUser, 1000);
  cast(counted);
  cast_in_twin(counted);
  EXPECT_EQ(held_.release(connection_, {&counted.key, 1}), 0U);
  EXPECT_EQ(held_.drop(connection_, {&counted.key, 1}), 0U);
  expect_like_twin();
}

TEST_F(HeldStore, RatingHeldLaterIsAsIfNeverCounted) {
  const store::Ballot suspected = at(kNoon + 24h, vote(kVisitor, 0));
  const store::Ballot others[] = {at(kNoon, on(1, vote(kVisitor, 1000))), vote(kUser, 1000),
                                  at(kNoon + 48h, on(2, vote(kVisitor, 1000)))};
  for (const store::Ballot& ballot : others) cast_in_twin(ballot);
  cast(others[0]);
  cast(others[1]);
  cast(suspected);
  cast(others[2]);
  EXPECT_EQ(held_.hold(connection_, {{suspected.key, kFewNetworks}}, kNoon + 72h), 1U);
  expect_like_twin();
  EXPECT_EQ(held_.list(connection_, kPost, 0, 10),
            (std::vector{HeldRating{{suspected.key, 0, kNoon + 24h}, kFewNetworks, kNoon + 72h}}));
}

TEST_F(HeldStore, NewVoterWhoIsHeldWasNeverActive) {
  const store::Ballot suspected = vote(kVisitor, 0);
  cast(suspected);
  EXPECT_EQ(held_.hold(connection_, {{suspected.key, kOneAgent}}, kNoon), 1U);
  expect_like_twin();
}

TEST_F(HeldStore, ChangedRatingIsNotHeldLater) {
  const store::Ballot first = vote(kVisitor, 0);
  cast(first);
  cast(at(kNoon + 1min, vote(kVisitor, 1000)));
  EXPECT_EQ(held_.hold(connection_, {{first.key, kOneAgent}}, kNoon), 0U);
  EXPECT_EQ(held_.hold(connection_, {{first.key, kOneAgent}}, kNoon), 0U);
}

TEST_F(HeldStore, HoldingAndReleasingLeavesAllAsItWas) {
  std::map<RatingKey, store::Reasons> reasons;
  std::vector<RatingKey> keys;
  for (model::VoterId voter = 1; voter <= store::HeldStore::kHeldAtOnce; ++voter) {
    const store::Ballot ballot = vote(voter, voter % 3 == 0 ? 1000 : 0);
    cast(ballot);
    cast_in_twin(ballot);
    reasons[ballot.key] = kOneAgent;
    keys.push_back(ballot.key);
  }
  EXPECT_EQ(held_.hold(connection_, reasons, kNoon), keys.size());
  EXPECT_EQ(stored_stats()[0].total(), 0);
  EXPECT_EQ(held_.release(connection_, keys), keys.size());
  expect_like_twin();
}

TEST_F(HeldStore, TwoAdministratorsReleaseOnce) {
  std::vector<RatingKey> keys;
  for (model::VoterId voter = 1; voter <= 200; ++voter) {
    cast_held(vote(voter, 1000));
    keys.push_back(vote(voter, 1000).key);
  }
  std::size_t released_by_other = 0;
  std::thread other([&] {
    db::Connection connection(database_.endpoint());
    released_by_other = held_.release(connection, keys);
  });
  const std::size_t released = held_.release(connection_, keys);
  other.join();
  EXPECT_EQ(released + released_by_other, 200U);
  EXPECT_EQ(stored_stats()[0].total(), 200);
  expect_verified();
}

}  // namespace
