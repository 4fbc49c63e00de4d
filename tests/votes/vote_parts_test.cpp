// Tests votes on facets in lib/votes/vote_writer.h.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "db/pool.h"
#include "support/voting.h"
#include "votes/rating_loader.h"
#include "votes/vote.h"

// Tests votes on several facets of an object at once.

namespace {

using model::Category;
using support::facet;
using support::kNoon;
using support::kPost;
using support::kUser;
using support::kVisitor;
using support::newcomer;
using support::vote;
using Outcome = votes::VoteResult::Outcome;
using namespace std::chrono_literals;

using Value = std::optional<model::Thousandths>;

// Returns "request" with additional votes on the facets in "facets".
votes::VoteRequest with(votes::VoteRequest request, const std::map<std::string, Value>& facets) {
  for (const auto& [name, value] : facets) request.parts.push_back({facet(name), value});
  return request;
}

// Returns "request" with votes on the facets in "facets", and without a vote on the whole object.
votes::VoteRequest only(votes::VoteRequest request, const std::map<std::string, Value>& facets) {
  request.value.reset();
  request.rates_parts_only = true;
  return with(std::move(request), facets);
}

class VoteParts : public support::Voting {
 protected:
  votes::VoteResult write(const votes::VoteRequest& request) {
    const auto result = writer_.write(request);
    EXPECT_TRUE(result);
    return result.value_or(votes::VoteResult{});
  }
  Outcome outcome(const votes::VoteRequest& request) { return write(request).outcome; }
  std::int64_t votes() { return number("SELECT COUNT(*) FROM wp_ratingd_votes"); }
  std::int64_t value_of(const std::string& type, model::VoterId voter = kUser) {
    return number("SELECT value FROM wp_ratingd_votes WHERE object_type = '" + type +
                  "' AND voter = " + std::to_string(voter));
  }
};

TEST_F(VoteParts, AreStoredAndCountedWithTheObject) {
  const auto result =
      write(with(vote(kUser, 600, Category::scale), {{"service", 400}, {"taste", 800}}));
  EXPECT_EQ(result.outcome, Outcome::stored);
  EXPECT_EQ(totals(result, Category::scale).sum, 600);
  ASSERT_EQ(result.parts.size(), 2U);
  EXPECT_EQ(totals(result.parts[0], Category::scale).sum, 400);
  EXPECT_EQ(totals(result.parts[1], Category::scale).sum, 800);
  EXPECT_EQ(result.parts[1].own[2], (model::OwnRating{800, kNoon}));
  EXPECT_EQ(result.parts[1].outcome, Outcome::stored);
  const auto again =
      write(with(vote(kUser, 600, Category::scale), {{"service", 500}, {"taste", 800}}));
  EXPECT_EQ(again.outcome, Outcome::stored);
  EXPECT_EQ(again.parts[0].previous, 400);
  EXPECT_EQ(again.parts[1].outcome, Outcome::unchanged);
  EXPECT_EQ(votes(), 3);
  expect_verified();
}

TEST_F(VoteParts, AreWithdrawnAndSetInOneVote) {
  write(only(vote(kUser, 0), {{"love", 1000}}));
  const auto changed = write(only(vote(kUser, 0), {{"funny", 1000}, {"love", {}}}));
  EXPECT_EQ(changed.outcome, Outcome::stored);
  EXPECT_EQ(changed.parts[1].outcome, Outcome::withdrawn);
  EXPECT_EQ(changed.parts[1].previous, 1000);
  EXPECT_EQ(votes(), 1);
  EXPECT_EQ(value_of("post:funny"), 1000);
  EXPECT_EQ(outcome(only(vote(kUser, 0), {{"funny", {}}, {"love", {}}})), Outcome::withdrawn);
  EXPECT_EQ(outcome(only(vote(kUser, 0), {{"funny", {}}, {"love", {}}})), Outcome::nothing_stored);
  EXPECT_EQ(votes(), 0);
  expect_verified();
}

TEST_F(VoteParts, RefusedVoteOfANewVoterLeavesNoRow) {
  votes::VoteRequest request = with(newcomer(5, 1000), {{"love", 1000}});
  request.rules.new_voters = {.limit = 1, .counter = {}, .wait = 60s};
  EXPECT_EQ(outcome(request), Outcome::too_many_new_voters);
  EXPECT_EQ(votes(), 0);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_voters"), 0);
}

TEST_F(VoteParts, CountOnceForTheDayOfANewVoter) {
  for (const bool has_own_value : {true, false}) {
    votes::VoteRequest request = newcomer(has_own_value ? 5 : 6, 1000);
    request = has_own_value ? with(request, {{"a", 1000}, {"b", 1000}})
                            : only(request, {{"a", 1000}, {"b", 1000}});
    request.rules.max_per_day = 5;
    EXPECT_EQ(outcome(request), Outcome::stored);
    EXPECT_EQ(number("SELECT ratings FROM wp_ratingd_voters WHERE voter = " +
                     std::to_string(request.key.voter)),
              1);
  }
  expect_verified();
}

// For the limit on new voters, an object and its facets count as a single object.
TEST_F(VoteParts, VoterIsNewOnceForAnObjectAndItsFacets) {
  const auto limited = [&](votes::VoteRequest request) {
    request.rules.new_voters = {
        .limit = 2, .counter = "counter no 1", .ends_at = votes::window_end(kNoon, 24h)};
    request.related_types = {"post", "post:a", "post:b", "post:c"};
    return write(request);
  };
  votes::VoteRequest on_facet = newcomer(1, 1000);
  on_facet.key.object = facet("a");
  EXPECT_TRUE(limited(on_facet).is_of_new_voter);
  EXPECT_FALSE(limited(only(newcomer(1, 0), {{"b", 1000}, {"c", 1000}})).is_of_new_voter);
  EXPECT_EQ(number("SELECT SUM(used) FROM wp_ratingd_counters"), 1);
  EXPECT_EQ(limited(only(newcomer(2, 0), {{"a", 1000}, {"b", 1000}})).outcome, Outcome::stored);
  EXPECT_EQ(limited(only(newcomer(3, 0), {{"a", 1000}})).outcome, Outcome::too_many_new_voters);
  on_facet = newcomer(3, 1000);
  on_facet.key.object = facet("c");
  EXPECT_EQ(limited(on_facet).outcome, Outcome::too_many_new_voters);
  expect_verified();
}

TEST_F(VoteParts, OfAVisitorMoveToTheUser) {
  write(with(vote(kVisitor, 1000), {{"a", 1000}, {"b", 1000}}));
  votes::VoteRequest request = with(vote(kUser, 1000), {{"a", 0}, {"b", 1000}});
  request.moved_from = kVisitor;
  const auto result = write(request);
  EXPECT_EQ(result.parts[0].previous, 1000);
  EXPECT_EQ(votes(), 3);
  EXPECT_EQ(value_of("post:a"), 0);
  expect_verified();
}

TEST_F(VoteParts, OfManyVotersInOneBatchAreCountedExactly) {
  std::vector<votes::VoteRequest> requests;
  for (std::uint64_t number = 1; number <= 60; ++number) {
    votes::VoteRequest request = newcomer(number, 1000);
    if (number % 3 == 0) request = only(request, {{"a", 1000}, {"b", 0}});
    if (number % 3 == 1) request = with(request, {{"a", 0}});
    requests.push_back(request);
  }
  const auto results = writer_.write_all(requests);
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_TRUE(results[i]);
    EXPECT_EQ(results[i]->outcome, Outcome::stored);
    EXPECT_EQ(results[i]->voter, requests[i].key.voter);
    ASSERT_EQ(results[i]->parts.size(), requests[i].parts.size());
  }
  EXPECT_EQ(votes(), 40 + 60);
  EXPECT_EQ(number("SELECT bin0 + bin10 FROM wp_ratingd_totals WHERE object_type = 'post:a'"), 40);
  expect_verified();
}

TEST_F(VoteParts, OwnRatingsInMemoryAreTheStoredOnes) {
  db::Pool sessions(database_.endpoint(), 1);
  votes::RatingLoader loader(own_ratings_, sessions, 1);
  const std::vector<model::Object> objects = {kPost, facet("a"), facet("b")};
  write(with(vote(kUser, 1000), {{"a", 1000}}));
  static_cast<void>(loader.read(kUser, objects));  // fills the cache
  write(with(vote(kUser, 0), {{"a", {}}, {"b", 1000}}));
  votes::OwnRatingsCache::Token token;
  const auto found = own_ratings_.find(kUser, objects, token);
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)[0][0], (model::OwnRating{0, kNoon}));
  EXPECT_FALSE((*found)[1][0]);
  EXPECT_EQ((*found)[2][0], (model::OwnRating{1000, kNoon}));
  EXPECT_EQ(*found, loader.read(kUser, objects));
}

TEST_F(VoteParts, BadOneFailsTheWholeVoteAlone) {
  std::vector<votes::VoteRequest> requests = {
      vote(kUser, 1000), with(vote(kUser + 1, 1000), {{"a", 1000}}), vote(kUser + 2, 1000)};
  requests[1].address = std::string(200, 'x');  // longer than its column
  const auto results = writer_.write_all(requests);
  EXPECT_TRUE(results[0]);
  EXPECT_FALSE(results[1]);
  EXPECT_TRUE(results[2]);
  EXPECT_EQ(votes(), 2);
  expect_verified();
}

}  // namespace
