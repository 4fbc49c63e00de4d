#include "votes/decisions.h"

#include <gtest/gtest.h>

#include "support/batch.h"

namespace {

using model::Category;
using model::OwnRating;
using model::RatingKey;
using model::Revote;
using support::at;
using support::Batch;
using support::kNoon;
using support::kOfUser;
using support::kOfVisitor;
using support::kPost;
using support::kUser;
using support::kVisitor;
using support::moved;
using support::newcomer;
using support::on;
using support::vote;
using support::withdrawal;
using votes::CountedChange;
using votes::Decisions;
using votes::VoteResult;
using Outcome = votes::VoteResult::Outcome;
using namespace std::chrono_literals;

constexpr OwnRating kYes{1000, kNoon};
constexpr OwnRating kNo{0, kNoon};
const base::Day kDay = std::chrono::year(2026) / 11 / 21;

votes::SharedLimit limit_of(std::int64_t limit) {
  return {.limit = limit, .counter = "counter no 1", .ends_at = votes::window_end(kNoon, 24h)};
}

// --- Decisions about one rating ------------------------------------------------------------------

TEST(Decide, FirstRatingIsSavedAndCounted) {
  votes::VoteRequest request = vote(kUser, 1000);
  request.address = "h1";
  request.agent = 5;
  const Decisions decisions = Batch().decide({request});
  const VoteResult& result = decisions.results.front();
  EXPECT_EQ(result.outcome, Outcome::stored);
  EXPECT_EQ(result.voter, kUser);
  EXPECT_EQ(result.previous, std::nullopt);
  EXPECT_EQ(result.own[0], kYes);
  EXPECT_TRUE(result.is_new);
  EXPECT_FALSE(result.is_of_new_voter);  // a user
  EXPECT_EQ(decisions.saved, (decltype(decisions.saved){{kOfUser, {kYes, "h1", 5}}}));
  EXPECT_EQ(decisions.counted, (std::vector{CountedChange{kOfUser, {}, kYes}}));
  EXPECT_TRUE(decisions.has_changes());
  EXPECT_FALSE(decisions.withdraws);
}

TEST(Decide, ChangeReplacesTheCountedRating) {
  Batch batch;
  batch.rated(kOfUser, 1000);
  votes::VoteRequest request = at(kNoon + 1h, vote(kUser, 0));
  request.agent = 5;
  const Decisions decisions = batch.decide({request});
  const OwnRating changed{0, kNoon + 1h};
  EXPECT_EQ(decisions.results.front().outcome, Outcome::stored);
  EXPECT_EQ(decisions.results.front().previous, 1000);
  EXPECT_FALSE(decisions.results.front().is_new);
  EXPECT_EQ(decisions.counted, (std::vector{CountedChange{kOfUser, kYes, changed}}));
  // The user agent is stored only with a voter's first vote, not with a changed vote.
  EXPECT_EQ(decisions.saved, (decltype(decisions.saved){{kOfUser, {changed, "", 0}}}));
  EXPECT_FALSE(decisions.withdraws);
}

TEST(Decide, ChangeKeepsTheUserAgentOfTheFirstVoteInTheSameBatch) {
  votes::VoteRequest first = vote(kUser, 0);
  first.agent = 5;
  votes::VoteRequest second = vote(kUser, 1000);
  second.agent = 6;
  EXPECT_EQ(Batch().decide({first, second}).saved.at(kOfUser).agent, 5);
  EXPECT_EQ(Batch().decide({first, withdrawal(kUser), second}).saved.at(kOfUser).agent, 6);
}

TEST(Decide, OvertakenRequestKeepsTheLaterTime) {
  Batch batch;
  batch.rated(kOfUser, 1000, kNoon + 1h);
  EXPECT_EQ(batch.apply(vote(kUser, 0)).own[0], (OwnRating{0, kNoon + 1h}));
}

TEST(Decide, EqualValueChangesNothing) {
  Batch batch;
  batch.rated(kOfUser, 1000);
  const Decisions decisions = batch.decide({at(kNoon + 1h, vote(kUser, 1000))});
  EXPECT_EQ(decisions.results.front().outcome, Outcome::unchanged);
  EXPECT_EQ(decisions.results.front().own[0], kYes);
  EXPECT_FALSE(decisions.has_changes());
  EXPECT_TRUE(decisions.counted.empty());
  EXPECT_EQ(decisions.rows.voters, batch.rows.voters);
}

TEST(Decide, WithdrawalDeletesAndUncountsTheRating) {
  Batch batch;
  batch.rated(kOfUser, 1000);
  const Decisions decisions = batch.decide({withdrawal(kUser)});
  EXPECT_EQ(decisions.results.front().outcome, Outcome::withdrawn);
  EXPECT_EQ(decisions.results.front().previous, 1000);
  EXPECT_EQ(decisions.results.front().own[0], std::nullopt);
  EXPECT_EQ(decisions.deleted, (std::set{kOfUser}));
  EXPECT_EQ(decisions.counted, (std::vector{CountedChange{kOfUser, kYes, {}}}));
  EXPECT_TRUE(decisions.withdraws);
}

TEST(Decide, WithdrawalOfNothingChangesNothing) {
  Batch batch;
  batch.rated({kPost, Category::scale, kUser}, 500);
  const Decisions decisions = batch.decide({withdrawal(kUser)});
  EXPECT_EQ(decisions.results.front().outcome, Outcome::nothing_stored);
  EXPECT_FALSE(decisions.has_changes());
  EXPECT_FALSE(decisions.withdraws);
}

TEST(Decide, WithdrawalOfNothingIsOfNoNewVoter) {
  EXPECT_FALSE(Batch().decide({withdrawal(kVisitor)}).results.front().is_of_new_voter);
}

TEST(Decide, RatingWithdrawnInTheSameBatchIsNotSaved) {
  const Decisions decisions = Batch().decide({vote(kUser, 1000), withdrawal(kUser)});
  EXPECT_TRUE(decisions.saved.empty());
  EXPECT_EQ(decisions.deleted, (std::set{kOfUser}));
}

TEST(Decide, VotesOfOneVoterAreAppliedInTheirOrder) {
  const Decisions decisions =
      Batch().decide({vote(kUser, 1000), withdrawal(kUser), vote(kUser, 0), vote(kUser, 0)});
  EXPECT_EQ(decisions.results[0].outcome, Outcome::stored);
  EXPECT_EQ(decisions.results[1].outcome, Outcome::withdrawn);
  EXPECT_EQ(decisions.results[2].outcome, Outcome::stored);
  EXPECT_EQ(decisions.results[3].outcome, Outcome::unchanged);
  EXPECT_EQ(decisions.counted,
            (std::vector{CountedChange{kOfUser, {}, kYes}, CountedChange{kOfUser, kYes, {}},
                         CountedChange{kOfUser, {}, kNo}}));
  EXPECT_TRUE(decisions.deleted.empty());
  EXPECT_TRUE(decisions.withdraws);  // the writer may have to look up the time of the last rating
}

TEST(Decide, VoteThatIsNotWantedIsSkippedWithItsParts) {
  Batch batch;
  const auto requests = Batch::flat({support::with("taste", 1000, vote(kUser, 1000)),  //
                                     vote(kUser + 1, 1000)});
  const Decisions decisions =
      votes::decide(batch.rows_for(requests), requests, {}, {false, true, true});
  EXPECT_EQ(decisions.results[0].voter, 0U);
  EXPECT_EQ(decisions.results[1].voter, 0U);
  ASSERT_EQ(decisions.counted.size(), 1U);
  EXPECT_EQ(decisions.counted.front().key.voter, kUser + 1);
}

TEST(Decide, StoredRatingOfAVisitorAddsTheVisitorsRow) {
  votes::VoteRequest request = vote(kVisitor, 1000);
  request.visitor = model::FrontEndVisitor{"app", "a"};
  Batch batch;
  EXPECT_EQ(batch.decide({request}).visitors.at(kVisitor).visitor, *request.visitor);
  batch.rated(kOfVisitor, 1000);
  EXPECT_TRUE(batch.decide({request}).visitors.empty());  // nothing is stored
}

// --- A rating cast before the login --------------------------------------------------------------

TEST(DecideMoved, UsersRatingTakesThePlaceOfTheVisitors) {
  Batch batch;
  batch.rated(kOfVisitor, 1000);
  const Decisions decisions = batch.decide({moved(at(kNoon + 1h, vote(kUser, 0)))});
  EXPECT_EQ(decisions.results.front().outcome, Outcome::stored);
  EXPECT_EQ(decisions.results.front().previous, 1000);
  EXPECT_FALSE(decisions.results.front().is_new);
  EXPECT_EQ(decisions.deleted, (std::set{kOfVisitor}));
  EXPECT_EQ(decisions.counted, (std::vector{CountedChange{kOfVisitor, kYes, {}},
                                            CountedChange{kOfUser, {}, OwnRating{0, kNoon + 1h}}}));
}

TEST(DecideMoved, UsersOwnRatingIsTheEarlierOne) {
  Batch batch;
  batch.rated(kOfUser, 1000);
  batch.rated(kOfVisitor, 0);
  EXPECT_EQ(batch.apply(moved(vote(kUser, 0))).previous, 1000);
  EXPECT_FALSE(batch.rows.ratings.contains(kOfVisitor));
}

TEST(DecideMoved, EqualToTheUsersOwnStillTakesTheVisitorsAway) {
  Batch batch;
  batch.rated(kOfUser, 1000);
  batch.rated(kOfVisitor, 0);
  const Decisions decisions = batch.decide({moved(at(kNoon + 1h, vote(kUser, 1000)))});
  EXPECT_EQ(decisions.results.front().outcome, Outcome::unchanged);
  EXPECT_EQ(decisions.results.front().own[0], kYes);
  EXPECT_EQ(decisions.deleted, (std::set{kOfVisitor}));
  EXPECT_EQ(decisions.counted, (std::vector{CountedChange{kOfVisitor, kNo, {}}}));
}

TEST(DecideMoved, EqualRatingPassesToTheUserWithItsTime) {
  Batch batch;
  batch.rated(kOfVisitor, 1000);
  const Decisions decisions = batch.decide({moved(at(kNoon + 24h, vote(kUser, 1000)))});
  EXPECT_EQ(decisions.results.front().outcome, Outcome::stored);
  EXPECT_EQ(decisions.results.front().own[0], kYes);
  EXPECT_EQ(decisions.rows.voters.at(kUser).last_day, kDay);
}

// The nightly maintenance may already have erased the addresses of that time.
TEST(DecideMoved, OldRatingWithItsTimeGetsNoAddress) {
  for (const auto& [age, value, address] :
       {std::tuple(24h, 1000, ""), {24h, 0, "h2"}, {0h, 1000, "h2"}}) {
    Batch batch;
    batch.rated(kOfVisitor, 1000);
    votes::VoteRequest request = moved(at(kNoon + age, vote(kUser, value)));
    request.address = "h2";
    EXPECT_EQ(batch.decide({request}).saved.at(kOfUser).address, address);
  }
}

TEST(DecideMoved, RatingKeepsTheUserAgentOfTheFirstVote) {
  Batch batch;
  batch.rated(kOfVisitor, 1000);
  batch.rows.agents[kOfVisitor] = 5;
  for (const model::Thousandths value : {1000, 0}) {
    votes::VoteRequest request = moved(vote(kUser, value));
    request.agent = 6;
    EXPECT_EQ(batch.decide({request}).saved.at(kOfUser).agent, 5);
  }
}

TEST(DecideMoved, WithdrawalTakesBothBack) {
  Batch batch;
  batch.rated(kOfUser, 1000);
  batch.rated(kOfVisitor, 0);
  const Decisions decisions = batch.decide({moved(withdrawal(kUser))});
  EXPECT_EQ(decisions.results.front().outcome, Outcome::withdrawn);
  EXPECT_EQ(decisions.deleted, (std::set{kOfUser, kOfVisitor}));
  batch.rows.ratings.erase(kOfUser);
  EXPECT_EQ(batch.outcome(moved(withdrawal(kUser))), Outcome::withdrawn);
  EXPECT_EQ(batch.outcome(moved(withdrawal(kUser))), Outcome::nothing_stored);
}

TEST(DecideMoved, OtherObjectsTypesAndCategoriesStay) {
  Batch batch;
  const std::vector<RatingKey> others = {{{43, "post"}, Category::binary, kVisitor},
                                         {{kPost.id, "page"}, Category::binary, kVisitor},
                                         {kPost, Category::scale, kVisitor}};
  for (const RatingKey& key : others) batch.rated(key, 1000);
  const VoteResult result = batch.apply(moved(vote(kUser, 0)));
  EXPECT_EQ(result.previous, std::nullopt);
  EXPECT_TRUE(result.is_new);
  for (const RatingKey& key : others) EXPECT_TRUE(batch.rows.ratings.contains(key));
}

TEST(DecideMoved, OneBatchMovesARatingOnce) {
  const Decisions decisions =
      Batch().decide({vote(kVisitor, 1000), moved(vote(kUser, 1000)), moved(vote(kUser, 1000))});
  EXPECT_EQ(decisions.results[1].outcome, Outcome::stored);
  EXPECT_EQ(decisions.results[2].outcome, Outcome::unchanged);
  EXPECT_EQ(decisions.rows.ratings, (decltype(decisions.rows.ratings){{kOfUser, kYes}}));
}

TEST(DecideMoved, RefusedRequestLeavesTheVisitorsRating) {
  Batch batch;
  batch.rated(kOfVisitor, 1000);
  votes::VoteRequest request = moved(vote(kUser, 0));
  request.rules.revote = Revote::never;
  const Decisions decisions = batch.decide({request});
  EXPECT_EQ(decisions.results.front().outcome, Outcome::already_rated);
  EXPECT_EQ(decisions.results.front().previous, 1000);
  EXPECT_FALSE(decisions.has_changes());
  request.value = 1000;
  EXPECT_EQ(batch.outcome(request), Outcome::stored);
}

// --- Active days of the voter --------------------------------------------------------------------

TEST(DecideActivity, OvertakenVoteTakesNothingBack) {
  Batch batch;
  batch.rated({{43, "post"}, Category::binary, kUser}, 1000, kNoon + 24h);
  batch.rows.voters.at(kUser).last_rated_at = kNoon + 24h;
  const Decisions decisions = batch.decide({vote(kUser, 1000)});
  EXPECT_EQ(decisions.rows.voters, batch.rows.voters);
  EXPECT_TRUE(decisions.changed_voters.empty());
}

TEST(DecideActivity, FirstRatingOfADaySetsTheLastDay) {
  Batch batch;
  batch.rows.voters[kUser] = {kDay - std::chrono::days(1), kNoon - 24h, 7};
  const Decisions decisions = batch.decide({vote(kUser, 1000)});
  EXPECT_EQ(decisions.rows.voters.at(kUser), (votes::VoterRow{kDay, kNoon, 0}));
  EXPECT_EQ(decisions.changed_voters, (std::set{kUser}));
}

TEST(DecideActivity, LaterRatingsOfADayLeaveTheRow) {
  Batch batch;
  batch.rows.voters[kUser] = {kDay, kNoon - 1h, 7};
  const Decisions decisions = batch.decide({vote(kUser, 1000)});
  EXPECT_EQ(decisions.rows.voters.at(kUser).ratings, 7);
  EXPECT_TRUE(decisions.changed_voters.empty());
}

TEST(DecideActivity, DayIsThatOfTheSitesTimeZone) {
  Batch batch;
  batch.apply(at(kNoon + 11h, vote(kUser, 1000)));  // midnight in Berlin
  EXPECT_EQ(batch.rows.voters.at(kUser).last_day, kDay + std::chrono::days(1));
}

TEST(DecideActivity, RuleAboutTheLastRatingNeedsTheRow) {
  Batch batch;
  batch.rows.voters[kUser] = {kDay, kNoon - 1h, 0};
  votes::VoteRequest request = vote(kUser, 1000);
  request.rules.cooldown = 60s;
  const Decisions decisions = batch.decide({request});
  EXPECT_EQ(decisions.rows.voters.at(kUser).last_rated_at, kNoon);
  EXPECT_EQ(decisions.changed_voters, (std::set{kUser}));
}

// --- Rules and limits ----------------------------------------------------------------------------

TEST(DecideRules, RefusedVoteSaysWhyAndWhatIsStored) {
  Batch batch;
  batch.rated(kOfUser, 1000);
  votes::VoteRequest request = at(kNoon + 23h, vote(kUser, 0));
  request.rules.revote = Revote::cooldown;
  const Decisions decisions = batch.decide({request});
  const VoteResult& result = decisions.results.front();
  EXPECT_EQ(result.outcome, Outcome::cooling_down);
  EXPECT_EQ(result.retry_after, 1h);
  EXPECT_EQ(result.previous, 1000);
  EXPECT_EQ(result.own[0], kYes);
  EXPECT_FALSE(decisions.has_changes());
}

TEST(DecideRules, VoteThatIsDecidedFirstCountsForTheNext) {
  votes::VoteRequest yes = vote(kUser, 1000);
  yes.rules.revote = Revote::never;
  votes::VoteRequest no = yes;
  no.value = 0;
  const Decisions decisions = Batch().decide({yes, no, vote(kUser + 1, 0)});
  EXPECT_EQ(decisions.results[0].outcome, Outcome::stored);
  EXPECT_EQ(decisions.results[1].outcome, Outcome::already_rated);
  EXPECT_EQ(decisions.results[2].outcome, Outcome::stored);
}

TEST(DecideRules, CooldownIsBetweenAnyTwoRatingsOfAVoter) {
  Batch batch;
  const auto outcome = [&](std::uint64_t object, votes::VoteRequest request) {
    request.rules.cooldown = 60s;
    return batch.outcome(on(object, request));
  };
  EXPECT_EQ(outcome(1, vote(kUser, 1000)), Outcome::stored);
  EXPECT_EQ(outcome(2, at(kNoon + 59s, vote(kUser, 1000))), Outcome::too_soon);
  EXPECT_EQ(outcome(1, at(kNoon + 59s, vote(kUser, 0))), Outcome::too_soon);
  EXPECT_EQ(outcome(1, at(kNoon + 59s, vote(kUser, 1000))), Outcome::unchanged);
  EXPECT_EQ(outcome(1, at(kNoon + 59s, withdrawal(kUser))), Outcome::withdrawn);
  EXPECT_EQ(outcome(1, at(kNoon + 59s, vote(kUser, 1000))), Outcome::too_soon);
  EXPECT_EQ(outcome(1, at(kNoon + 59s, vote(kUser + 1, 1000))), Outcome::stored);
  EXPECT_EQ(outcome(1, at(kNoon + 60s, vote(kUser, 1000))), Outcome::stored);
}

class DecideRatingsOfADay : public ::testing::Test {
 protected:
  static votes::VoteRequest ruled(std::uint64_t object, votes::VoteRequest request) {
    request.rules.max_per_day = 2;
    return on(object, std::move(request));
  }
  Outcome outcome(std::uint64_t object, votes::VoteRequest request) {
    return batch_.outcome(ruled(object, std::move(request)));
  }
  Batch batch_;
};

TEST_F(DecideRatingsOfADay, LastIsAllowedAndTheNextRefusedUntilMidnight) {
  EXPECT_EQ(outcome(1, vote(kUser, 1000)), Outcome::stored);
  EXPECT_EQ(outcome(2, vote(kUser, 1000)), Outcome::stored);
  const VoteResult refused = batch_.apply(ruled(3, vote(kUser, 1000)));
  EXPECT_EQ(refused.outcome, Outcome::too_many_of_voter);
  EXPECT_EQ(refused.retry_after, 11h);  // midnight in Berlin
  EXPECT_EQ(outcome(3, at(kNoon + 11h - 1us, vote(kUser, 1000))), Outcome::too_many_of_voter);
  EXPECT_EQ(outcome(3, at(kNoon + 11h, vote(kUser, 1000))), Outcome::stored);
  EXPECT_EQ(batch_.rows.voters.at(kUser).ratings, 1);
}

TEST_F(DecideRatingsOfADay, ChangesWithdrawalsAndRepetitionsUseUpNothing) {
  outcome(1, vote(kUser, 1000));
  outcome(1, vote(kUser, 1000));
  outcome(1, vote(kUser, 0));
  EXPECT_EQ(batch_.rows.voters.at(kUser).ratings, 1);
  outcome(1, withdrawal(kUser));
  EXPECT_EQ(batch_.rows.voters.at(kUser).ratings, 1);  // a withdrawal does not restore a use
}

TEST_F(DecideRatingsOfADay, OneBatchTakesNoMoreThanIsLeft) {
  const Decisions decisions = batch_.decide(
      {ruled(1, vote(kUser, 1000)), ruled(2, vote(kUser, 1000)), ruled(3, vote(kUser, 1000))});
  EXPECT_EQ(decisions.results[1].outcome, Outcome::stored);
  EXPECT_EQ(decisions.results[2].outcome, Outcome::too_many_of_voter);
  EXPECT_EQ(decisions.changed_voters, (std::set{kUser}));
}

TEST(DecideLimits, AddressIsLimitedForAllVotersTogether) {
  Batch batch;
  const auto ruled = [](model::VoterId voter) {
    votes::VoteRequest request = vote(voter, 1000);
    request.rules.of_address = limit_of(2);
    return request;
  };
  const Decisions decisions = batch.decide({ruled(1), ruled(2), ruled(3)});
  EXPECT_EQ(decisions.results[1].outcome, Outcome::stored);
  EXPECT_EQ(decisions.results[2].outcome, Outcome::too_many_of_address);
  EXPECT_EQ(decisions.results[2].retry_after, 12h);
  ASSERT_EQ(decisions.rows.allowances.counts.size(), 1U);
  EXPECT_EQ(decisions.rows.allowances.counts.begin()->second,
            (votes::Allowances::Count{.used = 2, .reserved = 1}));
}

TEST(DecideLimits, NewVotersAreCountedOnlyIfTheyAreNew) {
  Batch batch;
  const auto outcome = [&](votes::VoteRequest request) {
    request.rules.new_voters = limit_of(1);
    return batch.outcome(request);
  };
  EXPECT_EQ(outcome(vote(kUser, 1000)), Outcome::stored);  // users are never new voters
  EXPECT_EQ(batch.used, 0);
  EXPECT_EQ(outcome(newcomer(5, 1000)), Outcome::stored);
  EXPECT_EQ(batch.used, 1);
  // A voter who has rated the object in another category is not a new voter.
  EXPECT_EQ(outcome(vote(model::kAnonymousBit | 5, 500, Category::scale)), Outcome::stored);
  EXPECT_EQ(batch.used, 1);
  EXPECT_EQ(outcome(newcomer(6, 1000)), Outcome::too_many_new_voters);
}

TEST(DecideLimits, RatingOfARelatedTypeMakesNoNewVoter) {
  Batch batch;
  batch.rated({{kPost.id, "post:taste"}, Category::binary, kVisitor}, 1000);
  votes::VoteRequest request = vote(kVisitor, 1000);
  EXPECT_TRUE(batch.decide({request}).results.front().is_of_new_voter);
  request.related_types = {"post:taste"};
  EXPECT_FALSE(batch.decide({request}).results.front().is_of_new_voter);
  EXPECT_TRUE(batch.decide({request}).results.front().is_new);
}

// --- Counting votes against limits in advance ---------------------------------------------------

class AllowancesFor : public ::testing::Test {
 protected:
  // Returns how often one vote is counted in advance against the limit for its address and against
  // the limit for new voters.
  std::pair<std::int64_t, std::int64_t> reserved(votes::VoteRequest request) {
    request.rules.of_address = limit_of(9);
    request.rules.new_voters = limit_of(9);
    request.rules.new_voters.counter = "counter no 2";
    const auto all = batch_.rows_for({request}).allowances;
    const auto of = [&](const votes::SharedLimit& limit) -> std::int64_t {
      for (const auto& [key, count] : all.counts) {
        if (key.ends_with(limit.counter)) return count.reserved;
      }
      return 0;
    };
    return {of(request.rules.of_address), of(request.rules.new_voters)};
  }
  using Pair = std::pair<std::int64_t, std::int64_t>;

  Batch batch_;
};

TEST_F(AllowancesFor, NewRatingMayUseEachLimit) {
  EXPECT_EQ(reserved(vote(kVisitor, 1000)), Pair(1, 1));
  EXPECT_EQ(reserved(vote(kUser, 1000)), Pair(1, 0));
}

TEST_F(AllowancesFor, ChangeUsesNone) {
  batch_.rated(kOfVisitor, 1000);
  EXPECT_EQ(reserved(vote(kVisitor, 0)), Pair(0, 0));
}

TEST_F(AllowancesFor, WithdrawalUsesNone) { EXPECT_EQ(reserved(withdrawal(kVisitor)), Pair(0, 0)); }

TEST_F(AllowancesFor, BatchThatDeletesRatingsMayMakeAnyRatingNew) {
  batch_.rated(kOfUser, 1000);
  EXPECT_EQ(reserved(moved(vote(kUser, 0))), Pair(1, 0));
}

TEST_F(AllowancesFor, LimitThatTheCallerCountsHasNoRow) {
  votes::VoteRequest request = vote(kUser, 1000);
  request.rules.of_address = {.limit = 3, .counter = "", .wait = 0s};
  EXPECT_TRUE(batch_.rows_for({request}).allowances.counts.empty());
  EXPECT_EQ(batch_.outcome(request), Outcome::stored);
}

}  // namespace
