#include "store/own_ratings_reader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/voting.h"

namespace {

using model::Category;
using model::Object;
using model::VoterId;
using support::kNoon;
using support::kPost;
using support::kPrefix;
using support::vote;

constexpr std::size_t kBinary = 0;
constexpr std::size_t kBipolar = 1;

class OwnRatingsReader : public support::Voting {
 protected:
  void cast(const store::Ballot& ballot) { ASSERT_TRUE(writer_.write(ballot)); }

  db::Pool sessions_{database_.endpoint(), 1};
  store::OwnRatingsReader reader_{sessions_, kPrefix};
};

TEST_F(OwnRatingsReader, TellsValueAndTimeOfEachCategoryThatWasRated) {
  cast(vote(1, 1000));
  cast(vote(1, -1000, Category::bipolar));
  cast(vote(2, 0));

  const auto own = reader_.read(1, {&kPost, 1});

  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(own.at(kPost).at(kBinary), (store::OwnRating{1000, kNoon}));
  EXPECT_EQ(own.at(kPost).at(kBipolar), (store::OwnRating{-1000, kNoon}));
  EXPECT_FALSE(own.at(kPost).at(2));
}

TEST_F(OwnRatingsReader, ObjectsWithoutARatingAreNotThere) {
  cast(vote(1, 1000));
  const std::vector<Object> objects = {{77, "post"}, kPost, {kPost.id, "page"}};
  EXPECT_EQ(reader_.read(1, objects).size(), 1U);
  EXPECT_TRUE(reader_.read(3, objects).empty());
  EXPECT_TRUE(reader_.read(1, {}).empty());
}

TEST_F(OwnRatingsReader, MoreObjectsThanAStatementBearsAreAllRead) {
  std::vector<Object> objects;
  for (std::uint64_t id = 1; id <= 150; ++id) {
    objects.push_back({id, "post"});
    auto ballot = vote(1, 1000);
    ballot.key.object = objects.back();
    cast(ballot);
  }
  EXPECT_EQ(reader_.read(1, objects).size(), 150U);
}

// Also when one of them asks for what another one asks for at the same moment.
TEST_F(OwnRatingsReader, EachOfManyCallersGetsItsOwn) {
  constexpr VoterId kVoters = 11;  // voter n has rated as n modulo 2, the last one not at all
  constexpr int kCallers = 24;
  constexpr int kReadings = 200;
  for (VoterId voter = 1; voter < kVoters; ++voter) {
    cast(vote(voter, voter % 2 == 0 ? 0 : 1000));
  }
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&, caller] {
      for (int i = 0; i < kReadings; ++i) {
        const VoterId voter = 1 + static_cast<VoterId>(caller + i) % kVoters;
        const auto own = reader_.read(voter, {&kPost, 1});
        const bool is_right =
            voter == kVoters
                ? own.empty()
                : own.size() == 1 && own.begin()->second.at(kBinary) ==
                                         store::OwnRating{voter % 2 == 0 ? 0 : 1000, kNoon};
        if (!is_right) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(OwnRatingsReader, AllWhoWaitAreToldThatTheDatabaseIsAway) {
  db::Endpoint nowhere;
  nowhere.socket = "/nonexistent/socket";
  db::Pool no_sessions{nowhere, 1};
  store::OwnRatingsReader reader{no_sessions, kPrefix};
  std::atomic<int> told = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&] {
      try {
        reader.read(1, {&kPost, 1});
      } catch (const db::ConnectionLost&) {
        ++told;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(told, 8);
}

TEST_F(OwnRatingsReader, WhoseTurnDoesNotComeIsToldSoInTime) {
  std::atomic<bool> is_over = false;
  std::atomic<bool> is_busy = false;
  std::thread busy([&] {
    sessions_.with_session([&](db::Connection&) {
      is_busy = true;
      is_busy.notify_one();
      is_over.wait(false);
    });
  });
  is_busy.wait(false);
  std::thread first([&] { EXPECT_THROW(reader_.read(1, {&kPost, 1}), db::ConnectionLost); });
  EXPECT_THROW(reader_.read(1, {&kPost, 1}), db::ConnectionLost);
  first.join();
  is_over = true;
  is_over.notify_one();
  busy.join();
  EXPECT_TRUE(reader_.read(1, {&kPost, 1}).empty());
}

}  // namespace
