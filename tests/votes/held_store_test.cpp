#include "votes/held_store.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "support/reference_db.h"
#include "votes/rating_loader.h"

namespace {

using model::Category;
using model::RatingKey;
using support::at;
using support::kNoon;
using support::kPost;
using support::kUser;
using support::kVisitor;
using support::on;
using support::vote;
using votes::HeldRating;
using votes::kFewNetworks;
using votes::kOneAgent;
using namespace std::chrono_literals;

// Returns a vote that can be part of a burst, because the vote's user agent is known.
votes::VoteRequest from_agent(votes::VoteRequest request) {
  request.agent = 5;
  return request;
}

class HeldStore : public support::ReferenceDatabase {
 protected:
  // Stores "request" as a held vote, in the same way as a vote batch does.
  void cast_held(const votes::VoteRequest& request, votes::Reasons reasons = kOneAgent) {
    const std::string key = "object_id = " + std::to_string(request.key.object.id) +
                            ", object_type = '" + request.key.object.type + "', category = " +
                            std::to_string(static_cast<int>(request.key.category)) +
                            ", voter = " + std::to_string(request.key.voter);
    connection_.execute("SET @at = '1970-01-01' + INTERVAL " +
                        std::to_string(request.received_at.time_since_epoch().count()) +
                        " MICROSECOND");
    connection_.execute("INSERT INTO wp_ratingd_votes SET " + key +
                        ", value = " + std::to_string(*request.value) +
                        ", held = 1, created_at = @at, rated_at = @at, agent = 5");
    connection_.execute("INSERT INTO wp_ratingd_held SET " + key +
                        ", reasons = " + std::to_string(reasons) + ", held_at = @at");
  }

  const votes::HeldStore held_{caches_};
};

TEST_F(HeldStore, HeldRatingsAreNotCounted) {
  cast(vote(kUser, 1000));
  cast_in_reference(vote(kUser, 1000));
  cast_held(vote(kVisitor, 0));
  expect_same_as_reference();
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
  const votes::VoteRequest requests[] = {vote(kUser, 1000), vote(kVisitor, 0),
                                         vote(kVisitor, 800, Category::scale),
                                         vote(kUser, -1000, Category::bipolar)};
  std::vector<RatingKey> keys;
  for (const votes::VoteRequest& request : requests) {
    cast_held(request);
    cast_in_reference(request);
    keys.push_back(request.key);
  }
  EXPECT_EQ(held_.release(connection_, keys), 4U);
  EXPECT_EQ(held_.count(connection_, {}), 0);
  expect_same_as_reference();
}

TEST_F(HeldStore, ReleasingAndHoldingAreSeenAtOnce) {
  db::Pool sessions(database_.endpoint(), 1);
  const auto total = [&] { return stats_.read(sessions, {&kPost, 1})[0][0].total(); };
  cast(from_agent(vote(kUser, 1000)));
  EXPECT_EQ(total(), 1);
  const RatingKey key = vote(kUser, 1000).key;
  EXPECT_EQ(held_.hold(connection_, {{key, kOneAgent}}, kNoon), 1U);
  EXPECT_EQ(total(), 0);
  EXPECT_EQ(held_.release(connection_, {&key, 1}), 1U);
  EXPECT_EQ(total(), 1);
}

TEST_F(HeldStore, VotersSeeTheirHeldRatingsUntilTheyAreDropped) {
  db::Pool sessions(database_.endpoint(), 1);
  votes::RatingLoader own_ratings(own_ratings_, sessions, 1);
  const auto is_seen = [&](model::VoterId voter) {
    return own_ratings.read(voter, {&kPost, 1}).front().front().has_value();
  };
  const votes::VoteRequest released = vote(kUser, 1000);
  const votes::VoteRequest dropped = vote(kVisitor, 1000);
  cast_held(released);
  cast_held(dropped);
  EXPECT_TRUE(is_seen(kUser));
  EXPECT_TRUE(is_seen(kVisitor));
  EXPECT_EQ(held_.release(connection_, {&released.key, 1}), 1U);
  EXPECT_EQ(held_.drop(connection_, {&dropped.key, 1}), 1U);
  EXPECT_TRUE(is_seen(kUser));
  EXPECT_FALSE(is_seen(kVisitor));
}

TEST_F(HeldStore, ReleasedRatingCountsBetweenActiveDays) {
  const votes::VoteRequest before = at(kNoon - 48h, on(1, vote(kUser, 1000)));
  const votes::VoteRequest held = vote(kUser, 1000);
  const votes::VoteRequest after = at(kNoon + 48h, on(2, vote(kUser, 0)));
  cast(before);
  cast_held(held);
  cast(after);
  for (const votes::VoteRequest& request : {before, held, after}) cast_in_reference(request);
  EXPECT_EQ(held_.release(connection_, {&held.key, 1}), 1U);
  expect_same_as_reference();
}

TEST_F(HeldStore, ReleasedRatingMayBeTheFirstOfAUser) {
  const votes::VoteRequest held = vote(kUser, 1000);
  const votes::VoteRequest after = at(kNoon + 1h, on(2, vote(kUser, 0)));
  cast_held(held);
  cast(after);
  cast_in_reference(held);
  cast_in_reference(after);
  EXPECT_EQ(held_.release(connection_, {&held.key, 1}), 1U);
  expect_same_as_reference();
}

TEST_F(HeldStore, ReleasedRatingIsNeverSuspectedAgain) {
  const votes::VoteRequest held = vote(kVisitor, 1000);
  cast_held(held);
  EXPECT_EQ(held_.release(connection_, {&held.key, 1}), 1U);
  EXPECT_EQ(number("SELECT agent FROM wp_ratingd_votes"), 0);
}

TEST_F(HeldStore, RepeatedReleaseCountsOnce) {
  const votes::VoteRequest held = vote(kVisitor, 1000);
  const RatingKey twice[] = {held.key, held.key};
  cast_held(held);
  cast_in_reference(held);
  EXPECT_EQ(held_.release(connection_, twice), 1U);
  EXPECT_EQ(held_.release(connection_, twice), 0U);
  expect_same_as_reference();
}

TEST_F(HeldStore, DroppedRatingIsDeleted) {
  cast(vote(kUser, 1000));
  cast_in_reference(vote(kUser, 1000));
  const votes::VoteRequest held = vote(kVisitor, 0);
  cast_held(held);
  EXPECT_EQ(held_.drop(connection_, {&held.key, 1}), 1U);
  EXPECT_EQ(held_.count(connection_, {}), 0);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 1);
  expect_same_as_reference();
}

TEST_F(HeldStore, CountedRatingsAreNeitherReleasedNorDropped) {
  const votes::VoteRequest counted = vote(kUser, 1000);
  cast(counted);
  cast_in_reference(counted);
  EXPECT_EQ(held_.release(connection_, {&counted.key, 1}), 0U);
  EXPECT_EQ(held_.drop(connection_, {&counted.key, 1}), 0U);
  expect_same_as_reference();
}

TEST_F(HeldStore, RatingHeldLaterIsAsIfNeverCounted) {
  const votes::VoteRequest suspected = from_agent(at(kNoon + 24h, vote(kVisitor, 0)));
  const votes::VoteRequest others[] = {at(kNoon, on(1, vote(kVisitor, 1000))), vote(kUser, 1000),
                                       at(kNoon + 48h, on(2, vote(kVisitor, 1000)))};
  for (const votes::VoteRequest& request : others) cast_in_reference(request);
  cast(others[0]);
  cast(others[1]);
  cast(suspected);
  cast(others[2]);
  EXPECT_EQ(held_.hold(connection_, {{suspected.key, kFewNetworks}}, kNoon + 72h), 1U);
  expect_same_as_reference();
  EXPECT_EQ(held_.list(connection_, kPost, 0, 10),
            (std::vector{HeldRating{{suspected.key, 0, kNoon + 24h}, kFewNetworks, kNoon + 72h}}));
}

TEST_F(HeldStore, NewVoterWhoIsHeldWasNeverActive) {
  const votes::VoteRequest suspected = from_agent(vote(kVisitor, 0));
  cast(suspected);
  EXPECT_EQ(held_.hold(connection_, {{suspected.key, kOneAgent}}, kNoon), 1U);
  expect_same_as_reference();
}

TEST_F(HeldStore, ReleasedRatingIsNotHeldLater) {
  const votes::VoteRequest released = from_agent(vote(kVisitor, 0));
  cast(released);
  EXPECT_EQ(held_.hold(connection_, {{released.key, kOneAgent}}, kNoon), 1U);
  EXPECT_EQ(held_.release(connection_, {&released.key, 1}), 1U);
  cast(at(kNoon + 1min, from_agent(vote(kVisitor, 1000))));
  EXPECT_EQ(held_.hold(connection_, {{released.key, kOneAgent}}, kNoon), 0U);
  EXPECT_EQ(stored_stats()[0].total(), 1);
}

TEST_F(HeldStore, ChangedRatingHeldLaterIsAsIfNeverCounted) {
  std::map<RatingKey, votes::Reasons> reasons;
  for (const model::VoterId voter : {kUser, kVisitor}) {
    const votes::VoteRequest first = from_agent(vote(voter, 0));
    cast(first);
    cast(at(kNoon + 24h, vote(voter, 1000)));
    reasons[first.key] = kOneAgent;
  }
  const votes::VoteRequest other = at(kNoon + 24h, vote(8, 0));
  cast(other);
  cast_in_reference(other);
  ASSERT_EQ(held_.hold(connection_, reasons, kNoon), 2U);
  expect_same_as_reference();
  EXPECT_EQ(held_.list(connection_, kPost, 0, 1).front().rating.value, 1000);
}

TEST_F(HeldStore, HoldingAndReleasingAChangedRatingLeavesAllAsItWas) {
  for (const model::VoterId voter : {kUser, kVisitor}) {
    const votes::VoteRequest first = from_agent(vote(voter, 0));
    const votes::VoteRequest change = at(kNoon + 24h, vote(voter, 1000));
    for (const votes::VoteRequest& request : {first, change}) {
      cast(request);
      cast_in_reference(request);
    }
    EXPECT_EQ(held_.hold(connection_, {{first.key, kOneAgent}}, kNoon), 1U);
    EXPECT_EQ(held_.release(connection_, {&first.key, 1}), 1U);
  }
  expect_same_as_reference();
}

TEST_F(HeldStore, HoldingAndReleasingLeavesAllAsItWas) {
  std::map<RatingKey, votes::Reasons> reasons;
  std::vector<RatingKey> keys;
  for (model::VoterId voter = 1; voter <= votes::HeldStore::kHeldAtOnce; ++voter) {
    const votes::VoteRequest request = from_agent(vote(voter, voter % 3 == 0 ? 1000 : 0));
    cast(request);
    cast_in_reference(request);
    reasons[request.key] = kOneAgent;
    keys.push_back(request.key);
  }
  EXPECT_EQ(held_.hold(connection_, reasons, kNoon), keys.size());
  EXPECT_EQ(stored_stats()[0].total(), 0);
  EXPECT_EQ(held_.release(connection_, keys), keys.size());
  expect_same_as_reference();
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
