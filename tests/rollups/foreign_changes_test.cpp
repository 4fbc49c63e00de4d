#include "rollups/foreign_changes.h"

#include <gtest/gtest.h>

#include <functional>

#include "rollups/writers.h"
#include "support/voting.h"

namespace {

using support::kPost;
using support::vote;
using namespace std::chrono_literals;

const std::uint64_t kElsewhere = kPost.id + 1;

// Simulates a host that watches for changes by other hosts. The host's cache contains a total of
// two votes for a post, but the totals table has no row for this post. A total of two in a response
// shows that the host has read the total from its cache.
class ForeignChanges : public support::Voting {
 protected:
  void SetUp() override {
    cast(1);  // creates the writers' rows
    cast_elsewhere(support::on(kElsewhere, vote(1, 1000)));
    check();
    cast(2);
    owner_.execute("DELETE FROM wp_ratingd_totals");
    pass(10s);
    ASSERT_TRUE(is_cached());
  }

  void cast(model::VoterId voter) { ASSERT_TRUE(own_writer_.write(vote(voter, 1000))); }
  void cast_elsewhere(const votes::VoteRequest& request) {
    ASSERT_TRUE(other_writer_.write(request));
  }
  void check() { changes_.check(connection_); }
  // Advances the clock and checks for changes once a second.
  void pass(std::chrono::seconds time) {
    for (auto passed = 0s; passed < time; ++passed) {
      memory_.clock().advance(1s);
      check();
    }
  }
  bool is_cached() { return stats_.read(sessions_, {&kPost, 1})[0][0].total() == 2; }
  bool is_cached_after(const std::function<void()>& change) {
    change();
    pass(1s);
    return is_cached();
  }
  bool is_cached_after(const std::string& statement) {
    return is_cached_after([&] { owner_.execute(statement); });
  }
  [[nodiscard]] rollups::ForeignChanges watcher() {
    return {runtime::CacheEpoch(memory_.header().epoch), writers_,
            [this](const rollups::Changed& changed) { caches_.forget(changed); }, memory_.clock()};
  }

  db::Connection owner_{database_.owner()};
  db::Connection connection_{database_.endpoint()};
  db::Pool sessions_{database_.endpoint(), 1};
  runtime::CacheWriters writers_{memory_.header().writers};
  votes::VoteWriter own_writer_{
      votes::writer_sessions(database_.endpoint()), {stats_, own_ratings_, &writers_}, log_, {}};
  // The memory for the other host's caches.
  support::CacheMemory other_memory_, other_memory_of_voters_;
  const rollups::StatsStore other_stats_{other_memory_.cache()};
  votes::OwnRatingsCache other_own_ratings_{other_memory_of_voters_.cache()};
  votes::VoteWriter other_writer_{
      votes::writer_sessions(database_.endpoint()), {other_stats_, other_own_ratings_}, log_, {}};
  rollups::ForeignChanges changes_ = watcher();
};

TEST_F(ForeignChanges, NoneLeaveRecordsValidForAMinute) {
  pass(49s);
  EXPECT_TRUE(is_cached());
  pass(1s);
  EXPECT_FALSE(is_cached());
}

TEST_F(ForeignChanges, OwnVotesAreNone) {
  EXPECT_TRUE(is_cached_after([&] {
    votes::VoteRequest elsewhere = vote(3, 1000);
    elsewhere.key.object.id = kPost.id + 1;
    ASSERT_TRUE(own_writer_.write(elsewhere));
  }));
}

TEST_F(ForeignChanges, ThatNobodyLooksForEndRecordsWithTheirTtl) {
  memory_.clock().advance(1s);
  EXPECT_TRUE(is_cached());
  memory_.clock().advance(1s);
  EXPECT_FALSE(is_cached());
}

TEST_F(ForeignChanges, OfANewHostEndRecords) {
  EXPECT_FALSE(is_cached_after([&] { ASSERT_TRUE(writer_.write(vote(3, 1000))); }));
  cast(4);
  owner_.execute("DELETE FROM wp_ratingd_totals");
  pass(3s);
  EXPECT_EQ(stats_.read(sessions_, {&kPost, 1})[0][0].total(), 2) << "valid again";
}

TEST_F(ForeignChanges, OfAnotherHostEndRecordsOfItsObjects) {
  EXPECT_FALSE(is_cached_after([&] { cast_elsewhere(vote(3, 1000)); }));
}

TEST_F(ForeignChanges, OfAnotherHostLeaveRecordsOfOtherObjects) {
  for (model::VoterId voter = 3; voter < 6; ++voter) {
    EXPECT_TRUE(is_cached_after([&] {
      cast_elsewhere(support::on(kElsewhere, vote(voter, 1000)));
      cast_elsewhere(support::on(kElsewhere, support::withdrawal(voter)));
    }));
  }
}

TEST_F(ForeignChanges, OfAnotherHostEndRecordsOfItsVoters) {
  votes::OwnRatingsCache::Token token;
  const auto has_rating = [&](model::VoterId voter) {
    return own_ratings_.find(voter, {&kPost, 1}, token).has_value();
  };
  for (const model::VoterId voter : {3U, 4U}) {
    ASSERT_FALSE(has_rating(voter));
    own_ratings_.fill(voter, {}, token, 0);
  }
  ASSERT_TRUE(has_rating(3) && has_rating(4));
  cast_elsewhere(support::on(kElsewhere, vote(3, 1000)));
  check();
  EXPECT_FALSE(has_rating(3));
  EXPECT_TRUE(has_rating(4));
}

TEST_F(ForeignChanges, OfABatchThatIsNotLoggedEndRecords) {
  EXPECT_FALSE(is_cached_after([&] {
    cast_elsewhere(support::on(kElsewhere, vote(3, 1000)));
    owner_.execute("DELETE FROM wp_ratingd_batches WHERE sequence = 2");
    cast_elsewhere(support::on(kElsewhere, vote(4, 1000)));
  }));
}

TEST_F(ForeignChanges, OfCommandsEndRecords) {
  EXPECT_FALSE(is_cached_after([&] { rollups::note_change(connection_); }));
}

TEST_F(ForeignChanges, OfRebuildsEndRecords) {
  EXPECT_FALSE(is_cached_after([&] { rollups::fence_writers(connection_); }));
}

TEST_F(ForeignChanges, ByARebuildOfVersion03EndRecords) {
  EXPECT_FALSE(is_cached_after("UPDATE wp_ratingd_rollup_state SET rebuilds = rebuilds + 1"));
}

TEST_F(ForeignChanges, AreNoneIfAnOwnBatchChangedNothing) {
  const votes::VoteRequest nothing = support::on(kPost.id + 1, support::withdrawal(9));
  EXPECT_TRUE(is_cached_after([&] { ASSERT_TRUE(own_writer_.write(nothing)); }));
}

TEST_F(ForeignChanges, OfAWriterThatDiedBeforeThisHostKnewEndRecords) {
  EXPECT_FALSE(
      is_cached_after("UPDATE wp_ratingd_writers SET sequence = sequence + 1"
                      " WHERE writer <> 0"));
}

TEST_F(ForeignChanges, LostByTheDatabaseEndRecords) {
  EXPECT_FALSE(
      is_cached_after("UPDATE wp_ratingd_writers SET sequence = sequence - 1"
                      " WHERE writer <> 0"));
}

TEST_F(ForeignChanges, OfADeletedRowEndRecords) {
  EXPECT_FALSE(is_cached_after("DELETE FROM wp_ratingd_writers WHERE writer <> 0"));
}

TEST_F(ForeignChanges, UnknownToANewSessionEndRecords) {
  db::Connection another(database_.endpoint());
  memory_.clock().advance(1s);
  changes_.check(another);
  EXPECT_FALSE(is_cached());
}

TEST_F(ForeignChanges, UnknownAfterAFailureEndRecords) {
  EXPECT_FALSE(is_cached_after([&] { changes_.end(); }));
}

TEST_F(ForeignChanges, AreLookedForByOneProcess) {
  rollups::ForeignChanges second = watcher();
  second.check(connection_);
  second.end();
  EXPECT_TRUE(is_cached_after([] {}));
  memory_.clock().advance(rollups::ForeignChanges::kTakeover);
  second.check(connection_);
  EXPECT_FALSE(is_cached()) << "what the other one has read is unknown";
}

}  // namespace
