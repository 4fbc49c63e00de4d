#include "votes/refusal.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/zone.h"
#include "support/clock.h"

namespace {

using model::Revote;
using support::kNoon;
using votes::VoterState;
using Outcome = votes::VoteResult::Outcome;
using namespace std::chrono_literals;

const VoterState kRated{.earlier = model::OwnRating{1000, kNoon}};

votes::VoteRequest request(Revote revote, std::optional<model::Thousandths> value, base::Time at) {
  votes::VoteRequest request;
  request.value = value;
  request.received_at = at;
  request.rules.revote = revote;
  return request;
}

std::optional<votes::Refusal> find_refusal(const votes::VoteRequest& vote,
                                           const VoterState& state) {
  return votes::find_refusal({&vote, 1}, {&state, 1});
}

TEST(FindRefusal, FirstRatingPassesAll) {
  for (const Revote revote : {Revote::replace, Revote::cooldown, Revote::never}) {
    EXPECT_EQ(find_refusal(request(revote, 0, kNoon), {}), std::nullopt);
    EXPECT_EQ(find_refusal(request(revote, std::nullopt, kNoon), {}), std::nullopt);
  }
}

TEST(FindRefusal, EqualValuePassesAll) {
  for (const Revote revote : {Revote::replace, Revote::cooldown, Revote::never}) {
    EXPECT_EQ(find_refusal(request(revote, 1000, kNoon), kRated), std::nullopt);
  }
}

TEST(FindRefusal, ReplaceRefusesNothing) {
  EXPECT_EQ(find_refusal(request(Revote::replace, 0, kNoon), kRated), std::nullopt);
  EXPECT_EQ(find_refusal(request(Revote::replace, std::nullopt, kNoon), kRated), std::nullopt);
}

TEST(FindRefusal, NeverRefusesChangeAndWithdrawalForEver) {
  const votes::Refusal refusal{Outcome::already_rated, 0s};
  const base::Time later = kNoon + std::chrono::years(9);
  EXPECT_EQ(find_refusal(request(Revote::never, 0, later), kRated), refusal);
  EXPECT_EQ(find_refusal(request(Revote::never, std::nullopt, later), kRated), refusal);
}

TEST(FindRefusal, CooldownRefusesChangeAndWithdrawalUntilItIsOver) {
  const votes::Refusal refusal{Outcome::cooling_down, 3600s};
  const base::Time early = kNoon + 23h;
  EXPECT_EQ(find_refusal(request(Revote::cooldown, 0, early), kRated), refusal);
  EXPECT_EQ(find_refusal(request(Revote::cooldown, std::nullopt, early), kRated), refusal);
  EXPECT_EQ(find_refusal(request(Revote::cooldown, 0, kNoon + 24h), kRated), std::nullopt);
  EXPECT_EQ(find_refusal(request(Revote::cooldown, std::nullopt, kNoon + 24h), kRated),
            std::nullopt);
}

TEST(FindRefusal, WaitIsRoundedUpToWholeSeconds) {
  const auto wait = [](base::Time at) {
    return find_refusal(request(Revote::cooldown, 0, at), kRated).value().retry_after;
  };
  EXPECT_EQ(wait(kNoon + 24h - 1us), 1s);
  EXPECT_EQ(wait(kNoon + 24h - 1s), 1s);
  EXPECT_EQ(wait(kNoon + 24h - 1s - 1us), 2s);
}

TEST(FindRefusal, CooldownOfARatingByAClockThatWasAheadRefusesNothing) {
  EXPECT_TRUE(find_refusal(request(Revote::cooldown, 0, kNoon - 60s), kRated));
  EXPECT_EQ(find_refusal(request(Revote::cooldown, 0, kNoon - 61s), kRated), std::nullopt);
}

TEST(FindRefusal, CooldownOfNoHoursRefusesNothing) {
  votes::VoteRequest change = request(Revote::cooldown, 0, kNoon - 1us);
  change.rules.revote_cooldown = 0h;
  EXPECT_EQ(find_refusal(change, kRated), std::nullopt);
}

votes::VoteRequest under(votes::Rules rules, std::optional<model::Thousandths> value = 0) {
  votes::VoteRequest request;
  request.value = value;
  request.received_at = kNoon;
  request.rules = std::move(rules);
  return request;
}

votes::SharedLimit shared_limit(std::int64_t limit, base::Time ends_at) {
  return {.limit = limit, .counter = "counter", .ends_at = ends_at};
}

TEST(FindRefusal, CooldownBetweenRatingsRefusesNewAndChangedOnesUntilItIsOver) {
  votes::Rules rules;
  rules.cooldown = 60s;
  const votes::Refusal refusal{Outcome::too_soon, 1s};
  EXPECT_EQ(find_refusal(under(rules), {.last_rated_at = kNoon - 60s + 1us}), refusal);
  EXPECT_EQ(find_refusal(under(rules), {.last_rated_at = kNoon - 60s}), std::nullopt);
  VoterState changing = kRated;
  changing.last_rated_at = kNoon - 60s + 1us;
  EXPECT_EQ(find_refusal(under(rules), changing), refusal);
  EXPECT_EQ(find_refusal(under(rules, 1000), changing), std::nullopt);
  EXPECT_EQ(find_refusal(under(rules, std::nullopt), changing), std::nullopt);
}

TEST(FindRefusal, CooldownBetweenRatingsByAClockThatWasAheadRefusesNothing) {
  votes::Rules rules;
  rules.cooldown = 60s;
  EXPECT_TRUE(find_refusal(under(rules), {.last_rated_at = kNoon + 60s}));
  EXPECT_EQ(find_refusal(under(rules), {.last_rated_at = kNoon + 61s}), std::nullopt);
}

TEST(FindRefusal, LastRatingOfTheDayIsAllowedAndTheNextRefusedUntilTomorrow) {
  votes::Rules rules;
  rules.max_per_day = 3;
  const base::Time tomorrow = kNoon + 11h;
  EXPECT_EQ(find_refusal(under(rules), {.ratings_today = 2, .tomorrow = tomorrow}), std::nullopt);
  EXPECT_EQ(find_refusal(under(rules), {.ratings_today = 3, .tomorrow = tomorrow}),
            (votes::Refusal{Outcome::too_many_of_voter, 11h}));
}

TEST(FindRefusal, LastOfASharedLimitIsAllowedAndTheNextRefusedUntilTheWindowEnds) {
  votes::Rules rules;
  rules.of_address = shared_limit(3, kNoon + 2h);
  EXPECT_EQ(find_refusal(under(rules), {.of_address = 2}), std::nullopt);
  EXPECT_EQ(find_refusal(under(rules), {.of_address = 3}),
            (votes::Refusal{Outcome::too_many_of_address, 2h}));
}

TEST(FindRefusal, NewVotersAreNotThoseWhoHaveRatedTheObject) {
  votes::Rules rules;
  rules.new_voters = shared_limit(1, kNoon + 2h);
  EXPECT_EQ(find_refusal(under(rules), {.is_new_voter = true, .new_voters = 1}),
            (votes::Refusal{Outcome::too_many_new_voters, 2h}));
  EXPECT_EQ(find_refusal(under(rules), {.is_new_voter = false, .new_voters = 1}), std::nullopt);
}

TEST(FindRefusal, LimitsLookAtNewRatingsOnly) {
  votes::Rules rules;
  rules.max_per_day = 1;
  rules.of_address = rules.new_voters = shared_limit(1, kNoon + 2h);
  VoterState used_up = kRated;
  used_up.ratings_today = used_up.of_address = used_up.new_voters = 9;
  EXPECT_EQ(find_refusal(under(rules, 0), used_up), std::nullopt);
  EXPECT_EQ(find_refusal(under(rules, 1000), used_up), std::nullopt);
  EXPECT_EQ(find_refusal(under(rules, std::nullopt), used_up), std::nullopt);
}

TEST(FindRefusal, LimitThatTheCallerCountsRefusesForItsWait) {
  votes::Rules rules;
  rules.of_address.limit = 3;
  EXPECT_EQ(find_refusal(under(rules), {.of_address = 9}), std::nullopt);
  rules.of_address.wait = 7s;
  EXPECT_EQ(find_refusal(under(rules), {}), (votes::Refusal{Outcome::too_many_of_address, 7s}));
  EXPECT_EQ(find_refusal(under(rules), kRated), std::nullopt);
}

TEST(FindRefusal, LongestOfSeveralWaitsIsSaid) {
  votes::Rules rules;
  rules.cooldown = 60s;
  rules.of_address = shared_limit(1, kNoon + 2h);
  EXPECT_EQ(find_refusal(under(rules), {.last_rated_at = kNoon, .of_address = 1}),
            (votes::Refusal{Outcome::too_many_of_address, 2h}));
}

TEST(SharedLimit, WindowsFollowEachOther) {
  const base::Time midnight = base::Day(std::chrono::year(2026) / 11 / 22);
  EXPECT_EQ(votes::window_end(kNoon, 24h), midnight);
  EXPECT_EQ(votes::window_end(midnight - 1us, 24h), midnight);
  EXPECT_EQ(votes::window_end(midnight, 24h), midnight + 24h);
  EXPECT_EQ(votes::window_end(kNoon, 1h), kNoon + 1h);
}

}  // namespace
