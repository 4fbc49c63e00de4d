#include "votes/rating_loader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "support/metrics_memory.h"
#include "support/voting.h"

namespace {

using model::Category;
using model::Object;
using model::OwnRatings;
using model::VoterId;
using support::kNoon;
using support::kPost;
using support::kVisitor;
using support::on;
using support::vote;

constexpr std::size_t kBinary = 0;
constexpr std::size_t kBipolar = 1;

std::ptrdiff_t rated_in(std::span<const OwnRatings> ratings) {
  return std::ranges::count_if(ratings,
                               [](const OwnRatings& own) { return own[kBinary].has_value(); });
}

db::Endpoint nowhere() {
  db::Endpoint endpoint;
  endpoint.server.socket = "/nonexistent/socket";
  return endpoint;
}

class RatingLoader : public support::Voting {
 protected:
  void cast(const votes::VoteRequest& request) { ASSERT_TRUE(writer_.write(request)); }

  // Returns objects that voter 1 has rated.
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

  // Returns the number of statements that the server has run for this program, its only client.
  std::uint64_t statements_run() {
    db::Connection connection(database_.endpoint());
    db::Rows row = connection.query("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'");
    return row.next() ? row.unsigned_integer(2) : 0;
  }

  db::Pool sessions_{database_.endpoint(), 1};
  std::vector<OwnRatings> read(VoterId voter, std::span<const Object> objects) {
    return reader_.read(voter, objects);
  }
  OwnRatings read(VoterId voter) { return reader_.read(voter, {&kPost, 1}).front(); }
  // Reads a rating from the cache, because the reader has no database.
  OwnRatings read_cached(VoterId voter) {
    return reader_without_database_.read(voter, {&kPost, 1}).front();
  }

  db::Pool no_sessions_{nowhere(), 1};
  votes::RatingLoader reader_{own_ratings_, sessions_, 1};
  votes::RatingLoader reader_without_database_{own_ratings_, no_sessions_, 1};
};

TEST_F(RatingLoader, TellsValueAndTimeOfEachCategoryThatWasRated) {
  cast(vote(1, 1000));
  cast(vote(1, -1000, Category::bipolar));
  cast(vote(2, 0));

  for (const OwnRatings& own : {read(1), read_cached(1)}) {
    EXPECT_EQ(own[kBinary], (model::OwnRating{1000, kNoon}));
    EXPECT_EQ(own[kBipolar], (model::OwnRating{-1000, kNoon}));
    EXPECT_FALSE(own[2]);
  }
}

TEST_F(RatingLoader, RatingsComeInTheOrderOfTheObjects) {
  cast(vote(1, 1000));
  const std::vector<Object> objects = {{77, "post"}, kPost, {kPost.id, "page"}, kPost};
  for (int reading = 0; reading < 2; ++reading) {  // the cache serves the second reading
    const auto own = read(1, objects);
    ASSERT_EQ(own.size(), 4U);
    EXPECT_EQ(own[0], OwnRatings());
    EXPECT_EQ(own[1][kBinary], (model::OwnRating{1000, kNoon}));
    EXPECT_EQ(own[2], OwnRatings());
    EXPECT_EQ(own[3], own[1]);
    EXPECT_EQ(read(3, objects), std::vector<OwnRatings>(4));
  }
  EXPECT_TRUE(read(1, std::span<const Object>()).empty());
}

TEST_F(RatingLoader, MoreObjectsThanAStatementBearsAreAllRead) {
  const auto objects = rated_objects(150);
  EXPECT_EQ(rated_in(read(1, objects)), 150);
}

// Each caller receives its own voter's rating, even if several callers request the same rating at
// the same time.
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
        if (i % 2 == 0) own_ratings_.invalidate(voter);
        const auto own = read(voter);
        OwnRatings expected;
        if (voter < kVoters) expected[kBinary] = {voter % 2 == 0 ? 0 : 1000, kNoon};
        if (own != expected) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

// Occupies the only database session until let_go() is called.
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
        if (read(voter)[kBinary]) ++right;
      });
    }
    while (asking < kCallers) std::this_thread::yield();
    busy.let_go();
    for (std::thread& caller : callers) caller.join();
  }
  EXPECT_EQ(right, kCallers);
  // The loader runs one statement for the first caller, one statement for all waiting callers, and
  // a few statements for late callers.
  EXPECT_LE(statements_run() - statements, kCallers / 2);
}

TEST_F(RatingLoader, LongQuestionsAmongShortOnesAreAllAnswered) {
  const auto objects = rated_objects(100);
  std::atomic<int> right = 0;
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < 16; ++caller) {
    callers.emplace_back([&, caller] {
      const std::size_t count = caller % 2 == 0 ? 1 : 100 - caller;
      const auto own = read(1, std::span(objects).first(count));
      if (rated_in(own) == static_cast<std::ptrdiff_t>(count)) ++right;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(right, 16);
}

TEST_F(RatingLoader, AllWhoWaitAreToldThatTheDatabaseIsAway) {
  std::atomic<int> told = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&] {
      try {
        read_cached(1);
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
    std::thread other([&] { EXPECT_THROW(read(1), db::ConnectionLost); });
    EXPECT_THROW(read(1), db::ConnectionLost);
    other.join();
  }
  EXPECT_EQ(read(1), OwnRatings());
}

// --- The cache ---

TEST_F(RatingLoader, VoterWithoutRatingsNeedsNoDatabaseTheSecondTime) {
  EXPECT_EQ(read(3), OwnRatings());
  EXPECT_EQ(read_cached(3), OwnRatings());
}

TEST_F(RatingLoader, UpTo100RatingsNeedNoDatabaseTheSecondTime) {
  // A cached record has several parts, and one part may be full even if the record contains fewer
  // than 100 ratings.
  for (const std::size_t count : {votes::VoterRatings::kPerRecord, std::size_t{40}}) {
    const auto objects = rated_objects(count);
    own_ratings_.invalidate(1);
    EXPECT_EQ(rated_in(read(1, objects)), static_cast<std::ptrdiff_t>(count));
    EXPECT_EQ(rated_in(reader_without_database_.read(1, objects)),
              static_cast<std::ptrdiff_t>(count));
    EXPECT_EQ(read_cached(1), OwnRatings());
  }
}

TEST_F(RatingLoader, MoreRatingsAreReadByObjectWithOneStatement) {
  auto objects = rated_objects(votes::OwnRatingsCache::kPerVoter + 1);
  objects.resize(10);
  objects.push_back({777, "post"});
  for (int reading = 0; reading < 3; ++reading) {
    const auto statements = statements_run();
    const auto own = read(1, objects);
    EXPECT_EQ(statements_run() - statements, reading == 0 ? 2U : 1U);
    EXPECT_EQ(rated_in(own), static_cast<std::ptrdiff_t>(objects.size() - 1));
    EXPECT_EQ(own.back(), OwnRatings());
  }
  EXPECT_THROW(read_cached(1), db::ConnectionLost);
}

TEST_F(RatingLoader, VotersWithFewAndManyRatingsAreReadTogether) {
  constexpr VoterId kVoters = 40;
  const auto objects = rated_objects(votes::VoterRatings::kPerRecord + 1);
  for (VoterId voter = 2; voter <= kVoters; voter += 2) cast(on(1, vote(voter, 1000)));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  {
    Busy busy(sessions_);
    for (VoterId voter = 1; voter <= kVoters; ++voter) {
      callers.emplace_back([&, voter] {
        const std::ptrdiff_t rated = voter == 1 ? 11 : voter % 2 == 0 ? 1 : 0;
        if (rated_in(read(voter, objects)) != rated) ++wrong;
      });
    }
    busy.let_go();
    for (std::thread& caller : callers) caller.join();
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(RatingLoader, DisabledCacheReadsByObject) {
  support::CacheMemory disabled(1, std::chrono::microseconds(0));
  votes::OwnRatingsCache cache(disabled.cache());
  votes::RatingLoader reader(cache, sessions_, 1);
  cast(vote(1, 1000));
  for (int reading = 0; reading < 2; ++reading) {
    const auto statements = statements_run();
    EXPECT_EQ(rated_in(reader.read(1, {&kPost, 1})), 1);
    EXPECT_EQ(statements_run() - statements, 1U);
  }
}

TEST_F(RatingLoader, VoteChangeAndWithdrawalAreSeenAtOnce) {
  EXPECT_FALSE(read(1)[kBinary]);
  cast(vote(1, 1000));
  EXPECT_EQ(read(1)[kBinary], (model::OwnRating{1000, kNoon}));
  cast(vote(1, 0));
  EXPECT_EQ(read(1)[kBinary], (model::OwnRating{0, kNoon}));
  cast(support::withdrawal(1));
  EXPECT_FALSE(read(1)[kBinary]);
}

TEST_F(RatingLoader, VoteOfAKnownVoterIsReadFromTheCache) {
  cast(on(43, vote(1, 1000)));
  EXPECT_FALSE(read(1)[kBinary]);
  cast(vote(1, 1000));
  cast(vote(1, -1000, Category::bipolar));
  EXPECT_EQ(read_cached(1)[kBinary], (model::OwnRating{1000, kNoon}));
  EXPECT_EQ(read_cached(1)[kBipolar], (model::OwnRating{-1000, kNoon}));
  cast(support::withdrawal(1));
  EXPECT_FALSE(read_cached(1)[kBinary]);
  EXPECT_TRUE(read_cached(1)[kBipolar]);
  const Object other{43, "post"};
  EXPECT_EQ(rated_in(reader_without_database_.read(1, {&other, 1})), 1);
}

TEST_F(RatingLoader, VotesOfOneBatchAreAllReadFromTheCache) {
  EXPECT_FALSE(read(1)[kBinary]);
  std::vector<votes::VoteRequest> requests = {vote(1, 1000), on(43, vote(1, 1000)), vote(1, 0)};
  for (const auto& result : writer_.write_all(requests)) ASSERT_TRUE(result);
  EXPECT_EQ(read_cached(1)[kBinary], (model::OwnRating{0, kNoon}));
  const Object other{43, "post"};
  EXPECT_EQ(rated_in(reader_without_database_.read(1, {&other, 1})), 1);
}

class OtherHost {
 public:
  OtherHost(const db::Endpoint& endpoint, const runtime::Log& log)
      : writer_(votes::writer_sessions(endpoint), {stats_, own_ratings_}, log, {}) {}

  void cast(const votes::VoteRequest& request) { ASSERT_TRUE(writer_.write(request)); }

 private:
  support::CacheMemory memory_, memory_of_voters_;
  const rollups::StatsStore stats_{memory_.cache()};
  votes::OwnRatingsCache own_ratings_{memory_of_voters_.cache()};
  votes::VoteWriter writer_;
};

TEST_F(RatingLoader, RefusedVoteShowsWhatIsStored) {
  EXPECT_FALSE(read(1)[kBinary]);
  OtherHost other(database_.endpoint(), log_);
  other.cast(vote(1, 1000));
  auto request = vote(1, 0);
  request.rules.revote = model::Revote::never;
  const auto result = writer_.write(request);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, votes::VoteResult::Outcome::already_rated);
  EXPECT_EQ(read_cached(1)[kBinary], (model::OwnRating{1000, kNoon}));
}

TEST_F(RatingLoader, RatingThatALoginMovesIsSeenAtOnceOfBothVoters) {
  cast(vote(kVisitor, 1000));
  EXPECT_TRUE(read(kVisitor)[kBinary]);
  EXPECT_FALSE(read(7)[kBinary]);
  auto request = vote(7, 1000);
  request.moved_from = kVisitor;
  cast(request);
  EXPECT_FALSE(read(kVisitor)[kBinary]);
  EXPECT_TRUE(read(7)[kBinary]);
}

TEST_F(RatingLoader, ReadingFromBeforeACommitIsNotKept) {
  votes::OwnRatingsCache::Token token;
  ASSERT_FALSE(own_ratings_.find(1, {&kPost, 1}, token));
  cast(vote(1, 1000));
  own_ratings_.fill(1, {}, token, 0);  // a process that read before the commit
  EXPECT_TRUE(read(1)[kBinary]);
  own_ratings_.fill(1, {}, token, 0);  // and an even slower process
  EXPECT_TRUE(read(1)[kBinary]);
}

// The voter has too many ratings for the cache, so the reader reads only some ratings. The cache
// must reject a complete list of ratings from a slower process that began reading before the
// reader's result was cached.
TEST_F(RatingLoader, ReadingOfAllFromBeforeAReadingOfSomeIsNotKept) {
  const auto objects = rated_objects(votes::OwnRatingsCache::kPerVoter + 1);
  support::MetricsMemory metrics;
  db::Pool sessions(database_.endpoint(), 1, std::chrono::seconds(30));
  votes::RatingLoader reader(own_ratings_, sessions, 1, &metrics.metrics());
  EXPECT_EQ(rated_in(reader.read(1, {objects.data(), 1})), 1);
  ASSERT_EQ(metrics.total(runtime::Count::voter_cache_miss), 1U);

  Busy busy(sessions);
  std::thread caller([&] { EXPECT_EQ(rated_in(reader.read(1, {objects.data(), 1})), 1); });
  while (metrics.total(runtime::Count::voter_cache_miss) < 2) std::this_thread::yield();
  memory_of_voters_.clock().advance(support::CacheMemory::kTtl);
  votes::OwnRatingsCache::Token token;
  EXPECT_FALSE(own_ratings_.find(1, {objects.data(), 1}, token));
  EXPECT_FALSE(token.is_not_listed);
  busy.let_go();
  caller.join();
  own_ratings_.fill(1, {}, token, 0);
  EXPECT_FALSE(own_ratings_.find(1, {objects.data(), 1}, token));
}

TEST_F(RatingLoader, VoteOnAnotherHostIsSeenAfterTheTtl) {
  OtherHost other(database_.endpoint(), log_);
  EXPECT_FALSE(read(1)[kBinary]);
  other.cast(vote(1, 1000));
  EXPECT_FALSE(read(1)[kBinary]);
  memory_of_voters_.clock().advance(support::CacheMemory::kTtl);
  EXPECT_TRUE(read(1)[kBinary]);
}

// Another host has already stored the rating, so the same vote on this host changes nothing.
TEST_F(RatingLoader, NothingOlderIsReadAfterAVoteThatChangedNothing) {
  OtherHost other(database_.endpoint(), log_);
  EXPECT_FALSE(read(1)[kBinary]);
  other.cast(vote(1, 1000));
  cast(vote(1, 1000));
  EXPECT_TRUE(read(1)[kBinary]);
}

TEST_F(RatingLoader, NobodyReadsAnOlderRatingAfterANewerOne) {
  constexpr int kVotes = 100;
  constexpr int kCallers = 6;
  std::atomic<int> newest = -1;  // the newest rating in any response, including the voter's
  std::atomic<bool> is_over = false;
  std::atomic<int> wrong = 0;
  std::atomic<int> readings = 0;
  const auto raise = [&](int value) {
    int known = newest;
    while (known < value && !newest.compare_exchange_weak(known, value)) {
    }
  };
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&] {
      while (!is_over) {
        const int least = newest;
        const auto own = read(1)[2];
        const int value = own ? own->value : -1;
        if (value < least) ++wrong;
        raise(value);
        ++readings;
      }
    });
  }
  for (int value = 0; value < kVotes; ++value) {
    cast(vote(1, value, Category::scale));
    raise(value);
  }
  while (readings < 1000) std::this_thread::yield();
  is_over = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
