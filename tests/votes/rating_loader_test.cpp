#include "votes/rating_loader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <span>
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

class RatingLoader : public support::Voting {
 protected:
  void cast(const votes::VoteRequest& request) { ASSERT_TRUE(writer_.write(request)); }

  // Objects that voter 1 has rated.
  std::vector<Object> rated_objects(std::uint64_t count) {
    std::vector<Object> objects;
    for (std::uint64_t id = 1; id <= count; ++id) {
      objects.push_back({id, "post"});
      auto request = vote(1, 1000);
      request.key.object = objects.back();
      cast(request);
    }
    return objects;
  }

  // Of the whole server, which only this program uses.
  std::uint64_t statements_run() {
    db::Connection connection(database_.endpoint());
    db::Rows row = connection.query("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'");
    return row.next() ? row.unsigned_integer(2) : 0;
  }

  db::Pool sessions_{database_.endpoint(), 1};
  votes::RatingLoader reader_{sessions_, 1, kPrefix};
};

TEST_F(RatingLoader, TellsValueAndTimeOfEachCategoryThatWasRated) {
  cast(vote(1, 1000));
  cast(vote(1, -1000, Category::bipolar));
  cast(vote(2, 0));

  const auto own = reader_.read(1, {&kPost, 1});

  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(own.at(kPost).at(kBinary), (model::OwnRating{1000, kNoon}));
  EXPECT_EQ(own.at(kPost).at(kBipolar), (model::OwnRating{-1000, kNoon}));
  EXPECT_FALSE(own.at(kPost).at(2));
}

TEST_F(RatingLoader, ObjectsWithoutARatingAreNotThere) {
  cast(vote(1, 1000));
  const std::vector<Object> objects = {{77, "post"}, kPost, {kPost.id, "page"}};
  EXPECT_EQ(reader_.read(1, objects).size(), 1U);
  EXPECT_TRUE(reader_.read(3, objects).empty());
  EXPECT_TRUE(reader_.read(1, {}).empty());
}

TEST_F(RatingLoader, MoreObjectsThanAStatementBearsAreAllRead) {
  const auto objects = rated_objects(150);
  EXPECT_EQ(reader_.read(1, objects).size(), 150U);
}

// Also if two callers ask for the same rating at the same time.
TEST_F(RatingLoader, EachOfManyCallersGetsItsOwn) {
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
                                         model::OwnRating{voter % 2 == 0 ? 0 : 1000, kNoon};
        if (!is_right) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

// Holds the only session until it is released.
class Busy {
 public:
  explicit Busy(db::Pool& sessions)
      : thread_([this, &sessions] {
          sessions.with_session([this](db::Connection&) {
            is_held_ = true;
            is_held_.notify_one();
            is_over_.wait(false);
          });
        }) {
    is_held_.wait(false);
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() {
    let_go();
    thread_.join();
  }
  void let_go() {
    is_over_ = true;
    is_over_.notify_one();
  }

 private:
  std::atomic<bool> is_held_ = false;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

TEST_F(RatingLoader, OneStatementAnswersAllWaitingCallers) {
  constexpr std::uint64_t kCallers = 24;
  for (VoterId voter = 1; voter <= kCallers; ++voter) cast(vote(voter, 1000));
  std::atomic<std::uint64_t> asking = 0;
  std::atomic<int> right = 0;
  const auto statements = statements_run();
  std::vector<std::thread> callers;
  {
    Busy busy(sessions_);
    for (VoterId voter = 1; voter <= kCallers; ++voter) {
      callers.emplace_back([&, voter] {
        ++asking;
        if (reader_.read(voter, {&kPost, 1}).size() == 1) ++right;
      });
    }
    while (asking < kCallers) std::this_thread::yield();
    busy.let_go();
    for (std::thread& caller : callers) caller.join();
  }
  EXPECT_EQ(right, kCallers);
  // One for the first caller, one for the waiting callers, and some for late callers.
  EXPECT_LE(statements_run() - statements, kCallers / 2);
}

TEST_F(RatingLoader, LongQuestionsAmongShortOnesAreAllAnswered) {
  const auto objects = rated_objects(100);
  std::atomic<int> right = 0;
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < 16; ++caller) {
    callers.emplace_back([&, caller] {
      const std::size_t count = caller % 2 == 0 ? 1 : 100 - caller;
      if (reader_.read(1, std::span(objects).first(count)).size() == count) ++right;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(right, 16);
}

TEST_F(RatingLoader, AllWhoWaitAreToldThatTheDatabaseIsAway) {
  db::Endpoint nowhere;
  nowhere.server.socket = "/nonexistent/socket";
  db::Pool no_sessions{nowhere, 1};
  votes::RatingLoader reader{no_sessions, 1, kPrefix};
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

TEST_F(RatingLoader, WhoseTurnDoesNotComeIsToldSoAndTheNextIsRead) {
  {
    const Busy busy(sessions_);
    std::thread other([&] { EXPECT_THROW(reader_.read(1, {&kPost, 1}), db::ConnectionLost); });
    EXPECT_THROW(reader_.read(1, {&kPost, 1}), db::ConnectionLost);
    other.join();
  }
  EXPECT_TRUE(reader_.read(1, {&kPost, 1}).empty());
}

}  // namespace
