#include "imports/object_votes.h"

#include <gtest/gtest.h>

namespace {

using imports::CountedVote;
using imports::Figures;
using imports::ObjectVotes;
using namespace std::chrono_literals;

const base::ZoneHistory kUtc;
constexpr base::Time kNoon = base::Day(std::chrono::year(2026) / 1 / 10) + 12h;

CountedVote vote(std::optional<model::VoterId> voter, model::Thousandths value,
                 std::optional<base::Time> rated_at = kNoon) {
  return {{model::Category::scale, value}, voter, rated_at, rated_at.value_or(kNoon), 0, 1};
}

class ObjectVotesTest : public testing::Test {
 protected:
  void add(std::initializer_list<CountedVote> all) {
    for (const CountedVote& one : all) votes_.add(one);
    votes_.settle();
  }
  [[nodiscard]] std::int64_t dated() const {
    std::int64_t total = 0;
    for (const auto& [day, sums] : votes_.dated()) total += sums.total();
    return total;
  }
  [[nodiscard]] const CountedVote& of(model::VoterId voter) const {
    return votes_.attributed().at(voter);
  }

  ObjectVotes votes_{model::Category::scale, kUtc};
};

TEST_F(ObjectVotesTest, NewestVoteOfEachVoterIsAttributed) {
  add({vote(7, 200), vote(7, 400, kNoon + 24h), vote(7, 600, kNoon + 1h), vote(8, 1000)});
  EXPECT_EQ(votes_.attributed().size(), 2U);
  EXPECT_EQ(of(7).meaning.value, 400);
  EXPECT_EQ(votes_.dated().size(), 1U);
  EXPECT_EQ(votes_.dated().begin()->second.sum, 800);
  EXPECT_EQ(votes_.dated().begin()->second.last_rated_at, kNoon + 1h);
  EXPECT_EQ(votes_.figures(), (Figures{4, 2.2}));
}

TEST_F(ObjectVotesTest, FirstOfVotesOfOneTimeIsTheNewest) {
  add({vote(7, 200), vote(7, 400)});
  EXPECT_EQ(of(7).meaning.value, 200);
  EXPECT_EQ(dated(), 1);
}

TEST_F(ObjectVotesTest, VotesWithoutAVoterAreSumsOfTheirDay) {
  add({vote({}, 200), vote({}, 400, kNoon + 24h)});
  EXPECT_TRUE(votes_.attributed().empty());
  EXPECT_EQ(votes_.dated().size(), 2U);
}

TEST_F(ObjectVotesTest, VotesWithoutATimeAreSumsOfAnUnknownDay) {
  add({vote(7, 200, {}), vote({}, 400, {}), vote(7, 1000)});
  EXPECT_EQ(of(7).meaning.value, 1000);
  EXPECT_EQ(votes_.undated().sum, 600);
  EXPECT_EQ(votes_.undated().total(), 2);
}

TEST_F(ObjectVotesTest, VotesThatThePluginCountsBesideItsRowsAreSums) {
  add({vote(7, 1000)});
  EXPECT_TRUE(votes_.complete({3, 2}, 5, 0));
  EXPECT_EQ(votes_.undated().total(), 2);
  EXPECT_EQ(votes_.undated().sum, 1000);
  EXPECT_EQ(votes_.figures(), (Figures{3, 2}));
}

TEST_F(ObjectVotesTest, DifferencesHaveAReason) {
  add({vote(7, 1000), vote(8, 200)});
  EXPECT_TRUE(votes_.complete({2, 1.2}, 5, 0));
  EXPECT_EQ(votes_.complete({1, 1}, 5, 0).error(), imports::kFewerShown);
  EXPECT_EQ(votes_.complete({2, 1}, 5, 0).error(), imports::kOtherSum);
  EXPECT_TRUE(votes_.complete({2, 1.1}, 5, 1));  // within the plugin's rounding
  EXPECT_EQ(votes_.complete({3, 5}, 5, 0).error(), imports::kNoSums);
  EXPECT_EQ(votes_.complete({3, 1}, 5, 0).error(), imports::kNoSums);
  EXPECT_EQ(votes_.undated().total(), 0);
}

TEST(ObjectVotesOfOncePlugins, EqualVotesOfAVoterCountOnce) {
  ObjectVotes votes(model::Category::scale, kUtc, true);
  for (const CountedVote& one : {vote(7, 1000), vote(7, 0, kNoon + 1h), vote(7, 1000, kNoon + 2h),
                                 vote({}, 1000), vote({}, 1000)}) {
    votes.add(one);
  }
  votes.settle();
  EXPECT_EQ(votes.figures(), (Figures{4, 3}));
  EXPECT_EQ(votes.attributed().at(7).rated_at, kNoon + 2h);
}

}  // namespace
