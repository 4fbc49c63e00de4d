// Tests how lib/votes/vote_writer.h holds suspicious votes.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/fault_proxy.h"
#include "support/voting.h"
#include "votes/held_store.h"

namespace {

using model::RatingKey;
using model::VoterId;
using support::kPost;
using support::kUser;
using support::vote;
using support::withdrawal;
using Outcome = votes::VoteResult::Outcome;
using namespace std::chrono_literals;

constexpr int kHoldThreshold = 10;

VoterId stuffer(int i) { return model::kAnonymousBit | (1000U + static_cast<VoterId>(i)); }

// Returns "request" with a unique network and user agent, and with the rule for suspicious votes
// enabled.
votes::VoteRequest watched(votes::VoteRequest request) {
  request.rules.hold_threshold = kHoldThreshold;
  request.address = "h" + std::to_string(request.key.voter % 100000);
  request.agent = static_cast<std::uint16_t>(request.key.voter % 60000 + 1);
  return request;
}

votes::VoteRequest stuffed(int i, model::Thousandths value = 1000) {
  votes::VoteRequest request = watched(vote(stuffer(i), value));
  request.agent = 5;
  return request;
}

class HeldVotes : public support::Voting {
 protected:
  // Casts the suspicious votes numbered "first" through "last". When the writer detects a burst, it
  // also holds the burst's earlier votes, which it has already counted. The writer holds the
  // earlier votes before it responds to the next vote.
  void stuff(int first, int last) {
    for (int i = first; i <= last; ++i) {
      const auto result = writer_.write(stuffed(i));
      ASSERT_TRUE(result);
      ASSERT_EQ(result->outcome, Outcome::stored);
    }
    ASSERT_TRUE(writer_.write(withdrawal(kUser + 1)));
  }
  // Casts a burst of 12 suspicious votes. The writer holds all votes of the burst.
  void burst() {
    stuff(1, 12);
    ASSERT_EQ(held(), 12);
    ASSERT_EQ(total(), 0);
  }
  std::int64_t total() { return stored_stats()[0].total(); }
  std::int64_t held() {
    const std::int64_t reasons = number("SELECT COUNT(*) FROM wp_ratingd_held");
    EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes JOIN wp_ratingd_held"
                     " USING (object_id, object_type, category, voter) WHERE held = 1"),
              reasons);
    EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes WHERE held = 1"), reasons);
    return reasons;
  }
  std::vector<RatingKey> held_keys() {
    std::vector<RatingKey> keys;
    for (const auto& held : held_.list(connection_, kPost, 0, 100)) keys.push_back(held.rating.key);
    return keys;
  }

  // Stores that the object got "votes" votes on the day "days" days before kNoon.
  void set_past_votes(const model::Object& object, int days, int votes) {
    connection_.execute(
        "REPLACE INTO wp_ratingd_daily (object_id, object_type, category, day, total, sum,"
        " positive, negative) VALUES (?, ?, 0, ?, ?, 0, 0, 0)",
        object.id, object.type,
        std::chrono::floor<std::chrono::days>(kNoon) - std::chrono::days(days), votes);
  }

  const votes::HeldStore held_{caches_};
  db::Connection connection_{database_.endpoint()};
};

TEST_F(HeldVotes, BurstIsHeldAndNotCounted) {
  ASSERT_TRUE(writer_.write(watched(vote(kUser, 1000))));
  stuff(1, 30);
  EXPECT_EQ(held(), 30);
  EXPECT_EQ(total(), 1);
  EXPECT_EQ(number("SELECT SUM(voters) FROM wp_ratingd_reach"), 1);
  EXPECT_EQ(number("SELECT DISTINCT reasons FROM wp_ratingd_held"), votes::kOneAgent);
  expect_verified();
}

TEST_F(HeldVotes, UsualPaceOfTheSiteYesterdayIsNoBurst) {
  set_past_votes({77, "post"}, 1, 24 * 100);
  stuff(1, 20);
  EXPECT_EQ(held(), 0);
}

TEST_F(HeldVotes, UsualPaceOfTheObjectInTheLastWeekIsNoBurst) {
  set_past_votes(kPost, 7, 7 * 24 * 100);
  stuff(1, 20);
  EXPECT_EQ(held(), 0);
}

// An attacker must not be able to hide votes by casting each vote with another value first.
TEST_F(HeldVotes, ChangedAfterTheFirstVoteAreHeld) {
  for (int i = 1; i <= 20; ++i) {
    ASSERT_TRUE(writer_.write(stuffed(i, 0)));
    ASSERT_TRUE(writer_.write(at(kNoon + 1min, stuffed(i, 1000))));
  }
  ASSERT_TRUE(writer_.write(withdrawal(kUser + 1)));
  EXPECT_EQ(held(), 20);
  EXPECT_EQ(total(), 0);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes WHERE value = 1000"), 20);
  expect_verified();
}

TEST_F(HeldVotes, ChangedToOneValueAfterAllFirstVotesAreHeld) {
  for (int i = 1; i <= 20; ++i) ASSERT_TRUE(writer_.write(stuffed(i, i * 10)));
  EXPECT_EQ(held(), 0);
  for (int i = 1; i <= 20; ++i) ASSERT_TRUE(writer_.write(at(kNoon + 1min, stuffed(i, 1000))));
  ASSERT_TRUE(writer_.write(withdrawal(kUser + 1)));
  EXPECT_EQ(held(), 20);
  EXPECT_EQ(total(), 0);
  expect_verified();
}

TEST_F(HeldVotes, ChangedFromManyNetworksAfterFirstVotesFromOneAreHeld) {
  std::vector<votes::VoteRequest> changes;
  for (int i = 1; i <= 20; ++i) {
    votes::VoteRequest first = stuffed(i, i * 10);
    first.address = "hschool";
    ASSERT_TRUE(writer_.write(first));
    changes.push_back(at(kNoon + 1min, stuffed(i)));
  }
  EXPECT_EQ(held(), 0);
  for (const auto& result : writer_.write_all(changes)) ASSERT_TRUE(result);
  ASSERT_TRUE(writer_.write(withdrawal(kUser + 1)));
  EXPECT_EQ(held(), 20);
  EXPECT_EQ(total(), 0);
  expect_verified();
}

TEST_F(HeldVotes, ChangedInTheBatchOfTheFirstVoteAreHeld) {
  for (int i = 1; i <= 20; ++i) {
    const votes::VoteRequest change = at(kNoon + 1min, stuffed(i, 1000));
    for (const auto& result : writer_.write_all({stuffed(i, i * 10), change})) {
      ASSERT_TRUE(result);
    }
  }
  ASSERT_TRUE(writer_.write(withdrawal(kUser + 1)));
  EXPECT_EQ(held(), 20);
  EXPECT_EQ(total(), 0);
  expect_verified();
}

TEST_F(HeldVotes, CastBeforeTheBurstAndChangedInItAreCounted) {
  for (int i = 21; i <= 40; ++i) {
    ASSERT_TRUE(writer_.write(at(kNoon - votes::kBurstWindow, stuffed(i, i * 10))));
  }
  for (int i = 21; i <= 40; ++i) ASSERT_TRUE(writer_.write(stuffed(i)));
  EXPECT_EQ(held(), 0);
  stuff(1, 12);
  EXPECT_EQ(held(), 12);
  EXPECT_EQ(total(), 20);
  expect_verified();
}

// The vote of the last user is held when the burst's next vote arrives.
TEST_F(HeldVotes, MovedToUsersAfterTheFirstVoteAreHeldExceptTheLast) {
  for (int i = 1; i <= 20; ++i) ASSERT_TRUE(writer_.write(stuffed(i, i * 10)));
  for (int i = 1; i <= 20; ++i) {
    votes::VoteRequest request = at(kNoon + 1min, stuffed(i));
    request.key.voter = kUser + static_cast<VoterId>(i);
    ASSERT_TRUE(writer_.write(support::moved(request, stuffer(i))));
  }
  ASSERT_TRUE(writer_.write(withdrawal(kUser)));
  EXPECT_EQ(held(), 19);
  EXPECT_EQ(total(), 1);
  expect_verified();
}

TEST_F(HeldVotes, OnSeveralFacetsAreHeldAsAWhole) {
  const auto stuff_facets = [&](int i) {
    votes::VoteRequest request = stuffed(i);
    // The votes on a facet have different values, so these votes alone would not be suspicious.
    const auto values = {std::pair("taste", i * 10), std::pair("service", i * 20)};
    for (const auto& [name, value] : values) {
      request.parts.push_back({{kPost.id, std::string("post:") + name}, value});
    }
    ASSERT_TRUE(writer_.write(request));
  };
  for (int i = 1; i < kHoldThreshold; ++i) stuff_facets(i);
  EXPECT_EQ(held(), 0);
  stuff_facets(kHoldThreshold);
  ASSERT_TRUE(writer_.write(withdrawal(kUser + 1)));
  EXPECT_EQ(held(), 3 * kHoldThreshold);
  EXPECT_EQ(total(), 0);
  expect_verified();
}

TEST_F(HeldVotes, FacetThatComesFirstDoesNotHideAnother) {
  for (int i = 1; i <= 20; ++i) {
    const std::string first = "other" + std::to_string(i % 3);
    ASSERT_TRUE(writer_.write(
        support::parts_only(support::with("taste", 1000, support::with(first, 1000, stuffed(i))))));
  }
  ASSERT_TRUE(writer_.write(withdrawal(kUser + 1)));
  EXPECT_EQ(held(), 2 * 20);
  expect_verified();
}

TEST_F(HeldVotes, AndCountedOnesShareABatch) {
  burst();
  std::vector<votes::VoteRequest> requests;
  for (int i = 13; i <= 20; ++i) requests.push_back(stuffed(i));
  requests.push_back(watched(vote(kUser, 0)));
  for (const auto& result : writer_.write_all(requests)) EXPECT_TRUE(result);
  EXPECT_EQ(held(), 20);
  EXPECT_EQ(total(), 1);
  expect_verified();
}

TEST_F(HeldVotes, WithdrawnRatingIsDeleted) {
  burst();
  const auto result = writer_.write(withdrawal(stuffer(1)));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::withdrawn);
  EXPECT_EQ(held(), 11);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 11);
  expect_verified();
}

TEST_F(HeldVotes, MovedRatingStaysHeld) {
  burst();
  const auto reasons = held_.list(connection_, kPost, 0, 1).front().reasons;
  for (const model::Thousandths value : {1000, 0}) {
    const auto result =
        writer_.write(support::moved(watched(vote(kUser, value)), stuffer(value == 0 ? 2 : 1)));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->outcome, Outcome::stored);
  }
  EXPECT_EQ(held(), 11);  // two of the visitors were the same user
  EXPECT_EQ(number("SELECT reasons FROM wp_ratingd_held WHERE voter = 7"), reasons);
  EXPECT_EQ(total(), 0);
  expect_verified();
}

TEST_F(HeldVotes, ReleasedOnesCountAndStayCounted) {
  burst();
  EXPECT_EQ(held_.release(connection_, held_keys()), 12U);
  EXPECT_EQ(total(), 12);
  stuff(13, 16);
  EXPECT_EQ(total(), 16);  // four votes are not a burst, and the other votes are already decided
  EXPECT_EQ(held(), 0);
  expect_verified();
}

TEST_F(HeldVotes, ReleasedOnesMakeNoNetworkCrowded) {
  const auto crowded = [](int i) {
    votes::VoteRequest request = watched(vote(stuffer(i), 1000));
    request.address = "h" + std::to_string(i % 5);
    return request;
  };
  for (int i = 1; i <= 20; ++i) ASSERT_TRUE(writer_.write(crowded(i)));
  ASSERT_TRUE(writer_.write(withdrawal(kUser + 1)));
  EXPECT_EQ(held(), 20);
  EXPECT_EQ(held_.release(connection_, held_keys()), 20U);
  ASSERT_TRUE(writer_.write(crowded(21)));
  ASSERT_TRUE(writer_.write(withdrawal(kUser + 1)));
  EXPECT_EQ(held(), 0);
  EXPECT_EQ(total(), 21);
  expect_verified();
}

TEST_F(HeldVotes, ReleasedVotesStayCountedAfterAChange) {
  burst();
  EXPECT_EQ(held_.release(connection_, held_keys()), 12U);
  for (int i = 1; i <= 12; ++i) ASSERT_TRUE(writer_.write(at(kNoon + 1min, stuffed(i, 0))));
  ASSERT_TRUE(writer_.write(withdrawal(kUser + 1)));
  EXPECT_EQ(held(), 0);
  EXPECT_EQ(total(), 12);
  expect_verified();
}

TEST_F(HeldVotes, DroppedRatingsAreDeleted) {
  burst();
  EXPECT_EQ(held_.drop(connection_, held_keys()), 12U);
  EXPECT_EQ(held(), 0);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 0);
  expect_verified();
}

// A worker detects a burst even if other workers have received some of the burst's votes, because
// the rule for suspicious votes reads the votes table.
TEST_F(HeldVotes, AreToldAcrossWriters) {
  votes::VoteWriter other(votes::writer_sessions(database_.endpoint()), caches_, log_, {});
  for (int i = 1; i <= 20; i += 2) {
    ASSERT_TRUE(writer_.write(stuffed(i)));
    ASSERT_TRUE(other.write(stuffed(i + 1)));
  }
  ASSERT_TRUE(writer_.write(withdrawal(kUser)));
  ASSERT_TRUE(other.write(withdrawal(kUser)));
  EXPECT_EQ(held(), 20);
  EXPECT_EQ(total(), 0);
  expect_verified();
}

// Tests that votes are held only once if the response to a COMMIT is lost.
class HeldVotesInDoubt : public HeldVotes,
                         public ::testing::WithParamInterface<support::FaultProxy::Cut> {};

TEST_P(HeldVotesInDoubt, AreHeldOnce) {
  const std::string socket =
      ::testing::TempDir() + "cut_" + base::to_hex(base::random_bytes(6)) + ".sock";
  support::FaultProxy proxy(socket, database_.endpoint().server.socket);
  db::Endpoint endpoint = database_.endpoint();
  endpoint.server.socket = socket;
  votes::VoteWriter writer(votes::writer_sessions(endpoint), caches_, log_, {});
  for (int i = 1; i < kHoldThreshold; ++i) ASSERT_TRUE(writer.write(stuffed(i)));
  EXPECT_EQ(held(), 0);

  proxy.cut_next(GetParam());
  ASSERT_TRUE(writer.write(stuffed(kHoldThreshold)));
  EXPECT_TRUE(proxy.has_cut());
  ASSERT_TRUE(writer.write(withdrawal(kUser)));
  EXPECT_EQ(held(), kHoldThreshold);
  EXPECT_EQ(total(), 0);
  expect_verified();
}

INSTANTIATE_TEST_SUITE_P(Cuts, HeldVotesInDoubt,
                         ::testing::Values(support::FaultProxy::Cut::before_commit,
                                           support::FaultProxy::Cut::after_commit));

}  // namespace
