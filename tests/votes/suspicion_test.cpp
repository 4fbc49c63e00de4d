#include "votes/suspicion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/zone.h"
#include "support/clock.h"

namespace {

using namespace std::chrono_literals;
using support::kNoon;
using votes::find_burst;
using votes::FirstVote;
using votes::kFewNetworks;
using votes::kOneAgent;
using votes::Reasons;
using votes::Usual;

constexpr int kThreshold = 20;

// Returns the n-th vote in a series with one vote per second. Each vote comes from a different
// network and a different user agent.
FirstVote unlike(int n) {
  return {kNoon - std::chrono::seconds(n), "hnetwork" + std::to_string(n),
          static_cast<std::uint16_t>(1000 + n), n % 2 == 0 ? 1000 : 0};
}

template <typename Change>
std::vector<FirstVote> votes(int count, const Change& change) {
  std::vector<FirstVote> votes;
  for (int n = 0; n < count; ++n) {
    votes.push_back(unlike(n));
    change(votes.back(), n);
  }
  return votes;
}

// Returns a function that gives each group of "size" successive votes its own network.
auto crowds_of(int size) {
  return [=](FirstVote& vote, int n) { vote.network = "h" + std::to_string(n / size); };
}

void set_look(FirstVote& vote, int) {
  vote.agent = 7;
  vote.value = 1000;
}

std::ptrdiff_t suspected(const std::vector<FirstVote>& votes, const Usual& usual = {},
                         int threshold = kThreshold, base::Time now = kNoon) {
  const auto reasons = find_burst(votes, now, usual, threshold);
  EXPECT_EQ(reasons.size(), votes.size());
  return std::count_if(reasons.begin(), reasons.end(), [](Reasons why) { return why != 0; });
}

TEST(Suspicion, VotesWithNothingInCommonAreNoBurst) {
  EXPECT_EQ(suspected(votes(256, [](FirstVote&, int) {})), 0);
}

TEST(Suspicion, OneValueAloneIsNoBurst) {
  EXPECT_EQ(suspected(votes(256, [](FirstVote& vote, int) { vote.value = 1000; })), 0);
}

TEST(Suspicion, BurstBeginsWithTheThreshold) {
  EXPECT_EQ(suspected(votes(kThreshold - 1, set_look)), 0);
  EXPECT_EQ(suspected(votes(kThreshold, set_look)), kThreshold);
}

TEST(Suspicion, LowThresholdStillWantsTenVotes) {
  EXPECT_EQ(suspected(votes(9, set_look), {}, 1), 0);
  EXPECT_EQ(suspected(votes(10, set_look), {}, 1), 10);
}

TEST(Suspicion, NetworkCountsTwiceAtMost) {
  const auto burst = [](int networks) { return votes(10 * networks, crowds_of(10)); };
  EXPECT_EQ(suspected(burst(kThreshold / 2 - 1)), 0);
  EXPECT_EQ(suspected(burst(kThreshold / 2)), 10 * kThreshold / 2);
}

TEST(Suspicion, OneNetworkIsNoBurst) {
  EXPECT_EQ(suspected(votes(256,
                            [](FirstVote& vote, int n) {
                              set_look(vote, n);
                              vote.network = "hschool";
                            })),
            0);
}

TEST(Suspicion, OneNetworkCountsOnceTowardsOneAgent) {
  const auto mixed = [](int others) {  // 25 votes of one address, and the others
    return votes(25 + others, [=](FirstVote& vote, int n) {
      set_look(vote, n);
      if (n >= others) vote.network = "hattacker";
    });
  };
  EXPECT_EQ(suspected(mixed(kThreshold - 2)), 0);
  EXPECT_EQ(suspected(mixed(kThreshold - 1)), 25 + kThreshold - 1);
}

TEST(Suspicion, CrowdsOfAnAttackerDoNotHoldAClass) {
  const auto mixed = votes(256, [](FirstVote& vote, int n) {
    vote.network = n < 30 ? "hschool" : "hattacker" + std::to_string(n % (kThreshold / 2 - 2));
  });
  EXPECT_EQ(suspected(mixed), 0);
}

TEST(Suspicion, NetworksWithThreeVotesAreCrowds) {
  EXPECT_EQ(suspected(votes(60, crowds_of(2))), 0);
  EXPECT_EQ(suspected(votes(60, crowds_of(3))), 60);
}

TEST(Suspicion, CrowdsTellNothingWhileTheyAreTheMinority) {
  const auto mixed = [](int others) {  // ten networks together have twenty of the votes
    return votes(30 + others, [=](FirstVote& vote, int n) {
      if (n < 30) crowds_of(3)(vote, n);
    });
  };
  EXPECT_EQ(suspected(mixed(21)), 0);
  EXPECT_EQ(suspected(mixed(20)), 30);  // only these votes
}

TEST(Suspicion, NetworkOfMostVisitorsTellsNothing) {
  const auto burst = votes(100, crowds_of(10));
  EXPECT_EQ(suspected(burst, {.networks = {{"h3", 0.034}}}), 90);
  EXPECT_EQ(suspected(burst, {.networks = {{"h3", 0.033}}}), 100);
}

TEST(Suspicion, OneAgentAndValueAreABurst) {
  const auto reasons = find_burst(votes(40, set_look), kNoon, {}, kThreshold);
  EXPECT_EQ(reasons, std::vector<Reasons>(40, kOneAgent));
}

TEST(Suspicion, OneAgentWithManyValuesIsNoBurst) {
  EXPECT_EQ(suspected(votes(40, [](FirstVote& vote, int) { vote.agent = 7; })), 0);
}

TEST(Suspicion, AgentOfMostVisitorsTellsNothing) {
  EXPECT_EQ(suspected(votes(40, set_look), {.agents = {{7, 0.7}}}), 0);
  EXPECT_EQ(suspected(votes(40, set_look), {.agents = {{7, 0.6}}}), 40);
}

TEST(Suspicion, OnlyVotesOfTheAgentAreSuspected) {
  const auto mixed = votes(40, [](FirstVote& vote, int n) {
    if (n < 24) set_look(vote, n);
  });
  EXPECT_EQ(suspected(mixed), 24);
}

TEST(Suspicion, BothReasonsAreNamed) {
  const auto burst = votes(60, [](FirstVote& vote, int n) {
    crowds_of(3)(vote, n);
    set_look(vote, n);
  });
  EXPECT_EQ(find_burst(burst, kNoon, {}, kThreshold),
            std::vector<Reasons>(60, kFewNetworks | kOneAgent));
  EXPECT_EQ(votes::names_of(kFewNetworks | kOneAgent),
            (std::vector<std::string_view>{"few_networks", "one_agent"}));
  EXPECT_TRUE(votes::names_of(0).empty());
}

TEST(Suspicion, UsualRateIsNoBurst) {
  const auto hour = [](const Usual& usual) {  // 60 votes in the hour, 10 in the last ten minutes
    return suspected(votes(60,
                           [](FirstVote& vote, int n) {
                             set_look(vote, n);
                             vote.cast_at = kNoon - n * 1min;
                           }),
                     usual);
  };
  EXPECT_EQ(hour({.votes_per_hour = 20}), 60);
  EXPECT_EQ(hour({.votes_per_hour = 21}), 0);
}

TEST(Suspicion, ShortBurstShowsInTheLastTenMinutes) {
  const auto burst = votes(90, [](FirstVote& vote, int n) {
    if (n < 30) {
      set_look(vote, n);
    } else {
      vote.cast_at = kNoon - 30min;
    }
  });
  EXPECT_EQ(suspected(burst, {.votes_per_hour = 60}), 30);
}

TEST(Suspicion, GreatBurstIsMeasuredByTheTimeItsNewestVotesTook) {
  const auto burst = votes(static_cast<int>(votes::kBurstVotes), set_look);  // in 256 seconds
  EXPECT_EQ(suspected(burst, {.votes_per_hour = 1000}), static_cast<int>(votes::kBurstVotes));
  EXPECT_EQ(suspected(burst, {.votes_per_hour = 1300}), 0);
}

TEST(Suspicion, OldVotesTellNothing) {
  EXPECT_EQ(suspected(votes(100, set_look), {}, kThreshold, kNoon + 1h), 0);
}

TEST(Suspicion, WhatIsUnknownIsNotSuspected) {
  EXPECT_EQ(suspected(votes(100, [](FirstVote& vote, int) { vote.agent = 0; })), 0);
  EXPECT_EQ(suspected(votes(100,
                            [](FirstVote& vote, int n) {
                              set_look(vote, n);
                              vote.network.clear();
                            })),
            0);
}

TEST(Suspicion, UnknownNetworksAreNotOneCrowdedNetwork) {
  const int networks = kThreshold / 2;
  EXPECT_EQ(suspected(votes(10 * networks,
                            [](FirstVote& vote, int n) {
                              crowds_of(10)(vote, n);
                              if (n < 10) vote.network.clear();
                            })),
            0);
}

TEST(Suspicion, NoVotesAreNoBurst) { EXPECT_TRUE(find_burst({}, kNoon, {}, kThreshold).empty()); }

}  // namespace
