// Tests decisions about facets, reasons and bursts in lib/votes/decisions.h.

#include <gtest/gtest.h>

#include "support/batch.h"
#include "votes/decisions.h"

namespace {

using model::Category;
using model::Object;
using model::OwnRating;
using model::RatingKey;
using model::Revote;
using support::at;
using support::Batch;
using support::because;
using support::facet;
using support::kNoon;
using support::kOfUser;
using support::kOfVisitor;
using support::kPost;
using support::kUser;
using support::kVisitor;
using support::moved;
using support::on;
using support::parts_only;
using support::vote;
using support::with;
using support::withdrawal;
using votes::CountedChange;
using votes::Decisions;
using Outcome = votes::VoteResult::Outcome;
using namespace std::chrono_literals;

RatingKey rating_key(const Object& object, model::VoterId voter = kUser) {
  return {object, Category::binary, voter};
}

// --- Facets --------------------------------------------------------------------------------------

TEST(DecideParts, EachIsStoredAndHasItsResult) {
  Batch batch;
  batch.rated(rating_key(facet("taste")), 0);
  const auto results =
      batch.decide({with("love", {}, with("taste", 0, with("speed", 0, vote(kUser, 1000))))})
          .results;
  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(results[0].outcome, Outcome::stored);
  EXPECT_EQ(results[1].outcome, Outcome::stored);
  EXPECT_EQ(results[1].own[0], (OwnRating{0, kNoon}));
  EXPECT_EQ(results[2].outcome, Outcome::unchanged);
  EXPECT_EQ(results[2].previous, 0);
  EXPECT_EQ(results[3].outcome, Outcome::nothing_stored);
}

TEST(DecideParts, AloneLeaveTheRatingOfTheObject) {
  Batch batch;
  batch.rated(kOfUser, 1000);
  const auto results = batch.decide({parts_only(with("love", 1000, vote(kUser, 0)))}).results;
  EXPECT_EQ(results[0].outcome, Outcome::stored);
  EXPECT_EQ(results[0].previous, std::nullopt);
  EXPECT_EQ(results[0].own[0], (OwnRating{1000, kNoon}));
  EXPECT_TRUE(results[0].is_new);
}

TEST(DecideParts, OutcomeOfTheVoteIsTheGreatestOfItsParts) {
  Batch batch;
  batch.rated(rating_key(facet("love")), 1000);
  const auto outcome = [&](votes::VoteRequest request) {
    return batch.outcome(parts_only(std::move(request)));
  };
  EXPECT_EQ(outcome(with("love", 1000, vote(kUser, 0))), Outcome::unchanged);
  EXPECT_EQ(outcome(with("love", {}, with("fun", 1000, vote(kUser, 0)))), Outcome::stored);
  EXPECT_EQ(outcome(with("love", 1000, with("fun", {}, vote(kUser, 0)))), Outcome::stored);
  EXPECT_EQ(outcome(with("love", {}, with("fun", {}, vote(kUser, 0)))), Outcome::withdrawn);
  EXPECT_EQ(outcome(with("love", {}, with("fun", {}, vote(kUser, 0)))), Outcome::nothing_stored);
}

TEST(DecideParts, AreAllRefusedIfOneIs) {
  Batch batch;
  batch.rated(rating_key(facet("love")), 1000);
  votes::VoteRequest request = with("love", 0, with("fun", 1000, vote(kUser, 1000)));
  request.rules.revote = Revote::never;
  const Decisions refused = batch.decide({request});
  for (const auto& result : refused.results) EXPECT_EQ(result.outcome, Outcome::already_rated);
  EXPECT_FALSE(refused.has_changes());
  request.parts.back().value = 0;
  request.parts.front().value = 1000;
  request.parts.pop_back();
  EXPECT_EQ(batch.outcome(request), Outcome::stored);
}

TEST(DecideParts, ObjectsRatingFollowsAFacetThatIsNew) {
  for (const auto& [revote, refusal] : {std::pair(Revote::never, Outcome::already_rated),
                                        std::pair(Revote::cooldown, Outcome::cooling_down)}) {
    Batch batch;
    const auto rate = [&, revote = revote](votes::VoteRequest request) {
      request.rules.revote = revote;
      return batch.outcome(request);
    };
    EXPECT_EQ(rate(with("taste", 1000, vote(kUser, 1000))), Outcome::stored);
    EXPECT_EQ(rate(with("service", 0, vote(kUser, 0))), Outcome::stored);
    EXPECT_EQ(rate(with("service", 0, vote(kUser, 0))), Outcome::unchanged);
    EXPECT_EQ(rate(with("service", 0, vote(kUser, 1000))), refusal);
    EXPECT_EQ(rate(with("speed", 1000, with("service", 1000, vote(kUser, 1000)))), refusal);
    EXPECT_EQ(rate(with("taste", {}, vote(kUser, 1000))), refusal);
    EXPECT_EQ(rate(vote(kUser, 1000)), refusal);
  }
}

TEST(DecideParts, UseLimitsOnce) {
  Batch batch;
  votes::VoteRequest request = with("a", 1000, with("b", 1000, vote(kVisitor, 1000)));
  request.rules.max_per_day = 9;
  request.rules.of_address = {
      .limit = 9, .counter = "counter no 1", .ends_at = votes::window_end(kNoon, 24h)};
  const Decisions decisions = batch.decide({request});
  EXPECT_EQ(decisions.rows.voters.at(kVisitor).ratings, 1);
  EXPECT_EQ(decisions.rows.allowances.counts.begin()->second,
            (votes::Allowances::Count{.used = 1, .reserved = 0}));
}

TEST(DecideParts, CoolDownOnce) {
  Batch batch;
  votes::VoteRequest request = with("a", 1000, with("b", 1000, vote(kUser, 1000)));
  request.rules.cooldown = 60s;
  EXPECT_EQ(batch.outcome(request), Outcome::stored);
  request = parts_only(with("c", 1000, with("d", 1000, at(kNoon + 59s, vote(kUser, 0)))));
  request.rules.cooldown = 60s;
  EXPECT_EQ(batch.outcome(request), Outcome::too_soon);
}

TEST(DecideParts, RatingOfAFacetMakesNoNewVoterForTheOthers) {
  Batch batch;
  batch.rated(rating_key(facet("b"), kVisitor), 1000);
  const votes::VoteRequest request = with("a", 1000, with("b", 1000, vote(kVisitor, 1000)));
  EXPECT_FALSE(batch.decide({request}).results.front().is_of_new_voter);
}

TEST(DecideParts, OfAVisitorMoveToTheUser) {
  Batch batch;
  batch.rated(kOfVisitor, 1000);
  batch.rated(rating_key(facet("a"), kVisitor), 1000);
  const Decisions decisions = batch.decide({moved(with("a", 0, vote(kUser, 1000)))});
  EXPECT_EQ(decisions.results[1].previous, 1000);
  EXPECT_EQ(decisions.deleted, (std::set{kOfVisitor, rating_key(facet("a"), kVisitor)}));
}

// --- Reasons for low votes -----------------------------------------------------------------------

TEST(DecideReasons, ComesWithTheVote) {
  const Decisions decisions = Batch().decide({because("Too short", vote(kUser, 0))});
  EXPECT_TRUE(decisions.results.front().has_reason);
  EXPECT_EQ(decisions.rows.reasons.at(kOfUser), "Too short");
  EXPECT_EQ(decisions.changed_reasons, (std::set{kOfUser}));
}

TEST(DecideReasons, HighValueHasNone) {
  const Decisions decisions = Batch().decide({because("Too short", vote(kUser, 1000))});
  EXPECT_FALSE(decisions.results.front().has_reason);
  EXPECT_TRUE(decisions.changed_reasons.empty());
}

TEST(DecideReasons, OfTheObjectIsKnownAfterAVoteOnItsFacets) {
  Batch batch;
  batch.rated(kOfUser, 0);
  batch.rows.reasons[kOfUser] = "Too short";
  EXPECT_TRUE(batch.decide({with("taste", 1000, vote(kUser, 0))}).results.front().has_reason);
}

class DecideStoredReason : public ::testing::Test {
 protected:
  DecideStoredReason() { store(kOfUser, 200); }
  void store(RatingKey key, model::Thousandths value) {
    key.category = Category::scale;
    batch_.rated(key, value);
    batch_.rows.reasons[key] = "Too short";
  }
  static votes::VoteRequest scale(model::Thousandths value) {
    return at(kNoon + 1h, vote(kUser, value, Category::scale));
  }
  const RatingKey key_{kPost, Category::scale, kUser};
  const RatingKey visitors_{kPost, Category::scale, kVisitor};
  Batch batch_;
};

TEST_F(DecideStoredReason, StaysWhileTheValueIsLowAndGetsTheTimeOfTheVote) {
  const Decisions decisions = batch_.decide({scale(400)});
  EXPECT_TRUE(decisions.results.front().has_reason);
  EXPECT_EQ(decisions.changed_reasons, (std::set{key_}));
}

TEST_F(DecideStoredReason, GoesWithAHighValue) {
  const Decisions decisions = batch_.decide({scale(501)});
  EXPECT_FALSE(decisions.results.front().has_reason);
  EXPECT_EQ(decisions.changed_reasons, (std::set{key_}));
  EXPECT_TRUE(decisions.rows.reasons.empty());
}

TEST_F(DecideStoredReason, GoesWithTheVote) {
  const Decisions decisions = batch_.decide({withdrawal(kUser, Category::scale)});
  EXPECT_EQ(decisions.changed_reasons, (std::set{key_}));
  EXPECT_TRUE(decisions.rows.reasons.empty());
}

TEST_F(DecideStoredReason, RepeatedVoteWithTheSameOneChangesNothing) {
  EXPECT_FALSE(batch_.decide({because("Too short", scale(200))}).has_changes());
}

TEST_F(DecideStoredReason, AnotherOneIsAChangeThatRulesMayRefuse) {
  votes::VoteRequest request = because("Too long", scale(200));
  request.rules.revote = Revote::never;
  EXPECT_EQ(batch_.outcome(request), Outcome::already_rated);
  EXPECT_EQ(batch_.rows.reasons.at(key_), "Too short");
  request.rules.revote = Revote::replace;
  EXPECT_EQ(batch_.outcome(request), Outcome::unchanged);
  EXPECT_EQ(batch_.rows.reasons.at(key_), "Too long");
}

TEST_F(DecideStoredReason, FirstOneForAStoredVotePassesAllRules) {
  batch_.rows.reasons.clear();
  votes::VoteRequest request = because("Too short", scale(200));
  request.rules.revote = Revote::never;
  const Decisions decisions = batch_.decide({request});
  EXPECT_EQ(decisions.results.front().outcome, Outcome::unchanged);
  EXPECT_EQ(decisions.changed_reasons, (std::set{key_}));
}

TEST_F(DecideStoredReason, PassesToTheUserWithTheRating) {
  Batch batch;
  batch.rated(visitors_, 200);
  batch.rows.reasons[visitors_] = "Too short";
  const Decisions decisions = batch.decide({moved(scale(400))});
  EXPECT_EQ(decisions.rows.reasons, (decltype(decisions.rows.reasons){{key_, "Too short"}}));
  EXPECT_EQ(decisions.changed_reasons, (std::set{key_, visitors_}));
}

TEST_F(DecideStoredReason, OfTheVisitorGoesIfTheUserHasRated) {
  store(visitors_, 300);
  batch_.rows.reasons[visitors_] = "Too loud";
  const Decisions decisions = batch_.decide({moved(scale(200))});
  EXPECT_EQ(decisions.rows.reasons, (decltype(decisions.rows.reasons){{key_, "Too short"}}));
}

// --- Bursts --------------------------------------------------------------------------------------

votes::VoteRequest suspectable(votes::VoteRequest request, int threshold = 10) {
  request.rules.hold_threshold = threshold;
  request.address = "6" + std::string(16, 'x');
  request.agent = 5;
  return request;
}

TEST(Candidates, AreFirstVotesWithTheirOrigin) {
  const votes::Candidates found = Batch().candidates({suspectable(vote(kUser, 1000))});
  ASSERT_EQ(found.votes.size(), 1U);
  const auto& [key, candidate] = *found.votes.begin();
  const votes::FirstVote& first = candidate.vote;
  EXPECT_EQ(key, kOfUser);
  EXPECT_FALSE(candidate.is_change);
  EXPECT_EQ(first.cast_at, kNoon);
  EXPECT_EQ(first.network, "6" + std::string(8, 'x'));
  EXPECT_EQ(first.agent, 5);
  EXPECT_EQ(first.value, 1000);
  EXPECT_EQ(found.threshold, 10);
}

TEST(Candidates, ThresholdIsTheHighest) {
  EXPECT_EQ(Batch()
                .candidates({suspectable(vote(1, 1000), 20), suspectable(vote(2, 1000), 30),
                             suspectable(vote(3, 1000), 10)})
                .threshold,
            30);
}

TEST(Candidates, VoteWithoutTheRuleIsNone) {
  EXPECT_TRUE(Batch().candidates({suspectable(vote(kUser, 1000), 0)}).votes.empty());
}

TEST(Candidates, ChangesOfOldVotesAndWithdrawalsAreNotCandidates) {
  Batch batch;
  batch.rated(kOfUser, 1000, kNoon - votes::kBurstWindow);
  batch.rated(kOfVisitor, 1000, kNoon - votes::kBurstWindow);
  EXPECT_TRUE(batch
                  .candidates({suspectable(vote(kUser, 0)), suspectable(withdrawal(kUser)),
                               suspectable(moved(vote(8, 0))), suspectable(withdrawal(9))})
                  .votes.empty());
}

TEST(Candidates, ChangesOfRecentVotesAreMarked) {
  Batch batch;
  batch.rated(kOfUser, 1000, kNoon - votes::kBurstWindow + 1us);
  const auto found = batch.candidates({suspectable(vote(kUser, 0))});
  ASSERT_EQ(found.votes.size(), 1U);
  EXPECT_TRUE(found.votes.at(kOfUser).is_change);
  EXPECT_EQ(found.votes.at(kOfUser).vote.value, 0);
}

TEST(Candidates, RepeatedVotesAreNotCandidates) {
  Batch batch;
  batch.rated(kOfUser, 1000);
  EXPECT_TRUE(batch.candidates({suspectable(vote(kUser, 1000))}).votes.empty());
}

TEST(Candidates, VoteThatIsChangedInTheBatchHasTheLastValueThatNoRuleRefuses) {
  votes::VoteRequest first = suspectable(vote(kUser, 0));
  votes::VoteRequest second = suspectable(vote(kUser, 1000));
  second.agent = 6;
  const auto changed = Batch().candidates({first, second}).votes.at(kOfUser);
  EXPECT_EQ(changed.vote.value, 1000);
  EXPECT_EQ(changed.vote.agent, 5);
  EXPECT_FALSE(changed.is_change);
  second.rules.revote = Revote::never;
  EXPECT_EQ(Batch().candidates({first, second}).votes.at(kOfUser).vote.value, 0);
}

TEST(Candidates, RefusedVoteIsNone) {
  votes::VoteRequest request = suspectable(vote(kUser, 1000));
  request.rules.of_address = {.limit = 1, .counter = {}, .wait = 60s};
  EXPECT_TRUE(Batch().candidates({request}).votes.empty());
}

TEST(Candidates, VoteOnSeveralFacetsHasEachNewRating) {
  Batch batch;
  batch.rated(kOfUser, 1000);
  const auto found =
      batch.candidates({suspectable(with("love", 1000, with("fun", 1000, vote(kUser, 1000))))});
  EXPECT_EQ(found.votes.size(), 2U);
  EXPECT_TRUE(found.votes.contains(rating_key(facet("fun"))));
  EXPECT_TRUE(found.votes.contains(rating_key(facet("love"))));
}

TEST(DecideHolds, SuspectedFirstVoteIsHeldAndLooksLikeAnyOther) {
  Batch batch;
  batch.suspected[kOfUser] = votes::kOneAgent;
  const Decisions decisions = batch.decide({suspectable(vote(kUser, 1000))});
  EXPECT_EQ(decisions.results.front().outcome, Outcome::stored);
  EXPECT_EQ(decisions.results.front().own[0], (OwnRating{1000, kNoon}));
  EXPECT_TRUE(decisions.results.front().is_new);
  EXPECT_EQ(decisions.rows.holds.at(kOfUser), (votes::Hold{votes::kOneAgent, kNoon}));
  EXPECT_EQ(decisions.saved_holds, (std::set{kOfUser}));
  EXPECT_TRUE(decisions.counted.empty());
  // A held vote does not count as activity of the voter.
  EXPECT_EQ(decisions.rows.voters.at(kUser), (votes::VoterRow{rollups::kNeverActive, kNoon, 0}));
  EXPECT_TRUE(decisions.changed_voters.empty());
}

TEST(DecideHolds, AllFirstRatingsOfTheVoteAreHeldTogether) {
  Batch batch;
  batch.rated(rating_key(facet("old")), 0);
  batch.suspected[rating_key(facet("love"))] = votes::kOneAgent;
  const Decisions decisions =
      batch.decide({suspectable(with("old", 1000, with("love", 1000, vote(kUser, 1000)))),
                    vote(kUser + 1, 1000)});
  EXPECT_EQ(decisions.saved_holds, (std::set{kOfUser, rating_key(facet("love"))}));
  ASSERT_EQ(decisions.counted.size(), 2U);  // the counted facet, and the other voter
  EXPECT_EQ(decisions.counted[0].key, rating_key(facet("old")));
}

TEST(DecideHolds, VoteIsHeldForTheReasonsOfAllItsRatings) {
  Batch batch;
  batch.suspected[kOfUser] = votes::kFewNetworks;
  batch.suspected[rating_key(facet("love"))] = votes::kOneAgent;
  const Decisions decisions = batch.decide({suspectable(with("love", 1000, vote(kUser, 1000)))});
  for (const RatingKey& key : {kOfUser, rating_key(facet("love"))}) {
    EXPECT_EQ(decisions.rows.holds.at(key).reasons, votes::kFewNetworks | votes::kOneAgent);
  }
}

class DecideHeldRating : public ::testing::Test {
 protected:
  DecideHeldRating() { batch_.held(kOfUser, 1000, votes::kFewNetworks); }
  Batch batch_;
};

TEST_F(DecideHeldRating, ChangedStaysHeld) {
  const Decisions decisions = batch_.decide({at(kNoon + 2h, vote(kUser, 0))});
  EXPECT_EQ(decisions.results.front().previous, 1000);
  EXPECT_EQ(decisions.saved.at(kOfUser).rating, (OwnRating{0, kNoon + 2h}));
  EXPECT_EQ(decisions.rows.holds.at(kOfUser), (votes::Hold{votes::kFewNetworks, kNoon}));
  EXPECT_TRUE(decisions.saved_holds.empty());  // the row of the hold is not changed
  EXPECT_TRUE(decisions.counted.empty());
}

TEST_F(DecideHeldRating, WithdrawnLosesItsHoldAndCountsNothing) {
  const Decisions decisions = batch_.decide({withdrawal(kUser)});
  EXPECT_EQ(decisions.deleted, (std::set{kOfUser}));
  EXPECT_EQ(decisions.deleted_holds, (std::set{kOfUser}));
  EXPECT_TRUE(decisions.counted.empty());
  EXPECT_TRUE(decisions.rows.holds.empty());
}

TEST_F(DecideHeldRating, WithdrawnAndCastAgainIsAFirstVote) {
  const Decisions decisions = batch_.decide({withdrawal(kUser), vote(kUser, 0)});
  EXPECT_EQ(decisions.deleted_holds, (std::set{kOfUser}));
  EXPECT_EQ(decisions.counted, (std::vector{CountedChange{kOfUser, {}, OwnRating{0, kNoon}}}));
  batch_.suspected[kOfUser] = votes::kOneAgent;
  const Decisions suspected = batch_.decide({withdrawal(kUser), vote(kUser, 0)});
  EXPECT_EQ(suspected.saved_holds, (std::set{kOfUser}));
  EXPECT_TRUE(suspected.deleted_holds.empty());
}

TEST_F(DecideHeldRating, MovedStaysHeldWithItsReasons) {
  for (const model::Thousandths value : {1000, 0}) {
    Batch batch;
    batch.held(kOfVisitor, 1000, votes::kFewNetworks);
    const Decisions decisions = batch.decide({moved(at(kNoon + 1h, vote(kUser, value)))});
    EXPECT_EQ(decisions.rows.holds,
              (decltype(decisions.rows.holds){{kOfUser, {votes::kFewNetworks, kNoon}}}));
    EXPECT_EQ(decisions.deleted_holds, (std::set{kOfVisitor}));
    EXPECT_EQ(decisions.saved_holds, (std::set{kOfUser}));
    EXPECT_TRUE(decisions.counted.empty());
  }
}

TEST_F(DecideHeldRating, MovedIsReplacedByTheUsersOwn) {
  Batch batch;
  batch.rated(kOfUser, 1000);
  batch.held(kOfVisitor, 1000, votes::kFewNetworks);
  const Decisions decisions = batch.decide({moved(vote(kUser, 0))});
  EXPECT_TRUE(decisions.rows.holds.empty());
  EXPECT_EQ(decisions.counted,
            (std::vector{CountedChange{kOfUser, OwnRating{1000, kNoon}, OwnRating{0, kNoon}}}));
}

TEST(DecideHolds, UseUpWhatTheAddressIsAllowed) {
  Batch batch;
  batch.suspected[kOfUser] = votes::kOneAgent;
  votes::VoteRequest request = suspectable(vote(kUser, 1000));
  request.rules.of_address = {
      .limit = 1, .counter = "counter no 1", .ends_at = votes::window_end(kNoon, 24h)};
  EXPECT_EQ(batch.outcome(request), Outcome::stored);
  EXPECT_EQ(batch.outcome(on(43, request)), Outcome::too_many_of_address);
}

}  // namespace
