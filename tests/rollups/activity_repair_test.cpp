#include "rollups/activity_repair.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "rollups/rollup.h"

namespace {

using rollups::Activity;
using rollups::kNeverActive;
using rollups::pairs_to_add;
using Pairs = std::map<Activity::Pair, std::int64_t>;

base::Day day(int number) {
  return base::Day(std::chrono::year(2026) / 1 / 1) + std::chrono::days(number);
}

// Returns the activity of voters who were active on these days.
Activity activity_of(const std::vector<std::set<int>>& voters) {
  Activity activity;
  for (const std::set<int>& days : voters) {
    base::Day last = kNeverActive;
    for (const int number : days) {
      ++activity.pairs[{day(number), last}];
      last = day(number);
    }
    ++activity.last_days[last];
  }
  return activity;
}

TEST(ActivityRepair, WhatFitsStays) {
  EXPECT_EQ(pairs_to_add(activity_of({{1, 2, 5}, {2}, {}, {1, 5}})), Pairs());
}

TEST(ActivityRepair, LostPairsComeBack) {
  Activity activity = activity_of({{1, 2, 5}, {1, 5}, {2, 5}});
  const std::int64_t lost = activity.pairs.at({day(5), day(2)});
  activity.pairs.erase({day(5), day(2)});
  EXPECT_EQ(pairs_to_add(activity), (Pairs{{{day(5), day(2)}, lost}}));
}

TEST(ActivityRepair, InventedPairsGo) {
  Activity activity = activity_of({{1, 2, 5}, {3}});
  activity.pairs[{day(4), day(2)}] = 7;
  EXPECT_EQ(pairs_to_add(activity), (Pairs{{{day(4), day(2)}, -7}}));
}

TEST(ActivityRepair, FirstDaysAreKnownByTheLastDayAlone) {
  Activity activity;
  activity.last_days[day(3)] = 2;
  EXPECT_EQ(pairs_to_add(activity), (Pairs{{{day(3), kNeverActive}, 2}}));
}

// The last day of a voter was raised from day 2. The voter was active on day 2.
TEST(ActivityRepair, ALaterVoteFollowsTheDayBefore) {
  Activity activity = activity_of({{1, 2}});
  activity.last_days = {{day(6), 1}};
  EXPECT_EQ(pairs_to_add(activity), (Pairs{{{day(6), day(2)}, 1}}));
}

TEST(ActivityRepair, DeletedVotersTakeTheirDaysWithThem) {
  Activity activity = activity_of({{1, 2, 5}, {2}});
  activity.last_days.erase(day(5));
  for (const auto& [pair, voters] : pairs_to_add(activity)) activity.pairs[pair] += voters;
  std::erase_if(activity.pairs, [](const auto& pair) { return pair.second == 0; });
  EXPECT_EQ(activity.pairs, (Pairs{{{day(2), kNeverActive}, 1}}));
}

TEST(ActivityRepair, NoDamageIsLeftAndNoPairBecomesNegative) {
  std::mt19937 dice(1);
  const auto below = [&](unsigned end) { return static_cast<int>(dice() % end); };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::set<int>> voters(static_cast<std::size_t>(below(30)));
    for (std::set<int>& days : voters) {
      for (int i = below(6); i > 0; --i) days.insert(below(12));
    }
    Activity activity = activity_of(voters);
    for (int i = below(6); i > 0; --i) {
      const int first = below(12);
      auto& pair = activity.pairs[{day(first + 1 + below(5)), day(first)}];
      pair = std::max<std::int64_t>(0, pair + below(9) - 4);
      auto& last = activity.last_days[day(below(12))];
      last = std::max<std::int64_t>(0, last + below(5) - 2);
    }
    for (const auto& [pair, more] : pairs_to_add(activity)) {
      EXPECT_GE(activity.pairs[pair] += more, 0);
    }
    EXPECT_TRUE(rollups::imbalance_of(activity).empty());
  }
}

}  // namespace
