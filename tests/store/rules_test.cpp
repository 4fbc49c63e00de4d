#include "store/rules.h"

#include <gtest/gtest.h>

#include "base/zone.h"

namespace {

using model::Revote;
using store::find_refusal;
using store::OwnRating;
using Outcome = store::Receipt::Outcome;
using namespace std::chrono_literals;

const base::Time kNoon = base::Day(std::chrono::year(2026) / 11 / 21) + 12h;
const OwnRating kLiked{1000, kNoon};

store::Ballot ballot(Revote revote, std::optional<model::Thousandths> value, base::Time at) {
  store::Ballot ballot;
  ballot.value = value;
  ballot.received_at = at;
  ballot.rules.revote = revote;
  return ballot;
}

TEST(Rules, FirstRatingPassesAll) {
  for (const Revote revote : {Revote::replace, Revote::cooldown, Revote::never}) {
    EXPECT_EQ(find_refusal(ballot(revote, 0, kNoon), std::nullopt), std::nullopt);
    EXPECT_EQ(find_refusal(ballot(revote, std::nullopt, kNoon), std::nullopt), std::nullopt);
  }
}

TEST(Rules, EqualValuePassesAll) {
  for (const Revote revote : {Revote::replace, Revote::cooldown, Revote::never}) {
    EXPECT_EQ(find_refusal(ballot(revote, 1000, kNoon), kLiked), std::nullopt);
  }
}

TEST(Rules, ReplaceRefusesNothing) {
  EXPECT_EQ(find_refusal(ballot(Revote::replace, 0, kNoon), kLiked), std::nullopt);
  EXPECT_EQ(find_refusal(ballot(Revote::replace, std::nullopt, kNoon), kLiked), std::nullopt);
}

TEST(Rules, NeverRefusesChangeAndTakingBackForEver) {
  const store::Refusal refusal{Outcome::already_rated, 0s};
  const base::Time later = kNoon + std::chrono::years(9);
  EXPECT_EQ(find_refusal(ballot(Revote::never, 0, later), kLiked), refusal);
  EXPECT_EQ(find_refusal(ballot(Revote::never, std::nullopt, later), kLiked), refusal);
}

TEST(Rules, CooldownRefusesChangeAndTakingBackUntilItIsOver) {
  const store::Refusal refusal{Outcome::cooling_down, 3600s};
  const base::Time early = kNoon + 23h;
  EXPECT_EQ(find_refusal(ballot(Revote::cooldown, 0, early), kLiked), refusal);
  EXPECT_EQ(find_refusal(ballot(Revote::cooldown, std::nullopt, early), kLiked), refusal);
  EXPECT_EQ(find_refusal(ballot(Revote::cooldown, 0, kNoon + 24h), kLiked), std::nullopt);
  EXPECT_EQ(find_refusal(ballot(Revote::cooldown, std::nullopt, kNoon + 24h), kLiked),
            std::nullopt);
}

TEST(Rules, WaitIsRoundedUpToWholeSeconds) {
  const auto wait = [](base::Time at) {
    return find_refusal(ballot(Revote::cooldown, 0, at), kLiked).value().retry_after;
  };
  EXPECT_EQ(wait(kNoon + 24h - 1us), 1s);
  EXPECT_EQ(wait(kNoon + 24h - 1s), 1s);
  EXPECT_EQ(wait(kNoon + 24h - 1s - 1us), 2s);
}

TEST(Rules, CooldownOfNoHoursRefusesNothing) {
  store::Ballot change = ballot(Revote::cooldown, 0, kNoon - 1us);
  change.rules.revote_cooldown = 0h;
  EXPECT_EQ(find_refusal(change, kLiked), std::nullopt);
}

}  // namespace
