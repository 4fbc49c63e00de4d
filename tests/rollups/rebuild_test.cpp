#include "rollups/rebuild.h"

#include <atomic>
#include <random>
#include <thread>

#include "rollups/rollup_state.h"
#include "support/voting.h"
#include "votes/demo_votes.h"
#include "votes/held_store.h"

namespace {

using model::Category;
using support::Interruption;
using support::kNoon;
using support::vote;
using support::withdrawal;
using namespace std::chrono_literals;

base::Zone zone(const char* name) { return base::Zone::named(name).value(); }

votes::VoteRequest random_vote_request(std::mt19937& dice) {
  const auto below = [&](unsigned end) { return static_cast<int>(dice() % end); };
  const auto category = static_cast<Category>(below(3));
  votes::VoteRequest vote_request = vote(static_cast<model::VoterId>(below(60)) + 1, 0, category);
  if (below(2) == 0) vote_request.key.voter |= model::kAnonymousBit;
  vote_request.key.object = {static_cast<std::uint64_t>(1 + below(40)),
                             below(4) == 0 ? "page" : "post"};
  const model::Thousandths values[] = {below(2) * 1000, below(3) * 1000 - 1000, below(1001)};
  vote_request.value = values[static_cast<std::size_t>(category)];
  if (below(6) == 0) vote_request.value.reset();
  vote_request.received_at += std::chrono::minutes(below(60 * 24 * 30));
  return vote_request;
}

class RollupRebuild : public support::Voting {
 protected:
  // Runs a rebuild as ratingctl does. With "slices", an exception ends it after so many slices.
  void rebuild(const char* name, int slices = -1) {
    db::Connection connection(database_.ratingctl());
    rollups::RollupRebuild rebuild(connection, zone(name), 50);
    was_resumed_ = rebuild.is_resumed();
    rebuild.run(
        [&](std::int64_t, std::int64_t) {
          if (slices-- == 0) throw Interruption();
        },
        [&] { ++swaps_; });
  }
  std::string zone_of_rollups() {
    db::Connection connection(database_.endpoint());
    return rollups::stored_zone(connection).name();
  }
  void cast(int count, unsigned seed) {
    std::mt19937 dice(seed);
    std::vector<votes::VoteRequest> vote_requests;
    for (int i = 0; i < count; ++i) vote_requests.push_back(random_vote_request(dice));
    for (const auto& vote_result : writer_.write_all(vote_requests)) ASSERT_TRUE(vote_result);
  }

  bool was_resumed_ = false;
  int swaps_ = 0;  // how often run() told of one
};

// Every vote is changed once, so that the votes contain all activity.
TEST_F(RollupRebuild, MakesWhatAWriterInThatZoneMakes) {
  const support::Database reference;
  db::Connection connection_of_twin(reference.endpoint());
  connection_of_twin.execute("UPDATE wp_ratingd_rollup_state SET zone = 'Asia/Kolkata'");
  support::CacheMemory memory_of_twin, voters_of_twin;
  const rollups::StatsStore stats_of_twin(memory_of_twin.cache());
  votes::OwnRatingsCache own_ratings_of_twin(voters_of_twin.cache());
  votes::VoteWriter writer_of_twin(votes::writer_sessions(reference.endpoint()),
                                   {stats_of_twin, own_ratings_of_twin}, log_, {});
  for (int i = 0; i < 600; ++i) {
    votes::VoteRequest vote_request = vote(static_cast<model::VoterId>(i % 300 % 11 + 1),
                                           i / 300 * 1000, static_cast<Category>(i % 3));
    if (i % 4 == 0) vote_request.key.voter |= model::kAnonymousBit;
    vote_request.key.object = {static_cast<std::uint64_t>(i % 300 + 1),
                               i % 5 == 0 ? "page" : "post"};
    vote_request.received_at = kNoon - 60 * 24h + i * 79min;
    ASSERT_TRUE(writer_.write(vote_request));
    ASSERT_TRUE(writer_of_twin.write(vote_request));
  }
  db::Connection connection(database_.endpoint());
  EXPECT_NE(support::counted(connection), support::counted(connection_of_twin));
  rebuild("Asia/Kolkata");
  EXPECT_EQ(support::counted(connection), support::counted(connection_of_twin));
  EXPECT_EQ(zone_of_rollups(), "Asia/Kolkata");
  expect_verified();
}

// Around midnight, at the end of daylight saving time.
TEST_F(RollupRebuild, InTheSameZoneChangesNothing) {
  const base::Time start = base::Day(std::chrono::year(2026) / 10 / 20);
  for (int i = 0; i < 600; ++i) {
    votes::VoteRequest vote_request =
        vote(static_cast<model::VoterId>(i % 11 + 1), 0, static_cast<Category>(i % 3));
    if (i % 4 == 0) vote_request.key.voter |= model::kAnonymousBit;
    vote_request.key.object = {static_cast<std::uint64_t>(i + 1), i % 5 == 0 ? "page" : "post"};
    const model::Thousandths values[] = {i % 2 * 1000, i / 3 % 3 * 1000 - 1000, i * 7 % 1001};
    vote_request.value = values[i % 3];
    vote_request.received_at = start + i * 29min;
    ASSERT_TRUE(writer_.write(vote_request));
  }
  db::Connection connection(database_.endpoint());
  const std::string written = support::counted(connection);
  rebuild("Europe/Berlin");
  EXPECT_EQ(support::counted(connection), written);
  expect_verified();
}

TEST_F(RollupRebuild, SumsUpDemoVotes) {
  db::Connection connection(database_.ratingctl());
  votes::DemoSite site;
  site.votes = 20'000;
  site.objects = 500;
  site.until = kNoon;
  std::int64_t stored = 0;
  votes::store_demo_votes(connection, site, [&](std::int64_t done) { stored = done; });
  EXPECT_EQ(stored, 20'000);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 20'000);
  EXPECT_EQ(number("SELECT COUNT(DISTINCT object_id) FROM wp_ratingd_votes"), 500);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes WHERE rated_at > '2026-11-21 12:00:00'"),
            0);
  rollups::RollupRebuild(connection, zone("Europe/Berlin"), rollups::RollupRebuild::kMostSlice,
                         rollups::RollupRebuild::kLockTimeout, rollups::RollupRebuild::Pace::alone)
      .run([](std::int64_t, std::int64_t) {}, [] {});
  expect_verified();
}

TEST_F(RollupRebuild, OfAnEmptySiteTakesUpTheZone) {
  rebuild("Asia/Tokyo");
  EXPECT_EQ(zone_of_rollups(), "Asia/Tokyo");
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_rollup_state_new"), 0);
  EXPECT_EQ(swaps_, 1);
}

// A stopped run may send the statement long after another one has taken its place.
TEST_F(RollupRebuild, TablesAreSwappedOnce) {
  rebuild("Asia/Tokyo");
  db::Connection owner(database_.owner());
  EXPECT_THROW(owner.execute("RENAME TABLE wp_ratingd_rollup_state TO wp_ratingd_swap,"
                             " wp_ratingd_rollup_state_new TO wp_ratingd_rollup_state"),
               db::Failure);
  EXPECT_NO_THROW(db::Connection(database_.ratingctl()).query("SELECT * FROM wp_ratingd_swap"));
  rebuild("Asia/Kolkata");
  EXPECT_EQ(zone_of_rollups(), "Asia/Kolkata");
}

TEST_F(RollupRebuild, WriterGoesOnInTheNewZone) {
  votes::VoteRequest late = vote(7, 1000);  // 0:30 in Kolkata
  late.received_at = kNoon + 7h;
  ASSERT_TRUE(writer_.write(late));
  EXPECT_EQ(number("SELECT DAY(day) FROM wp_ratingd_daily"), 21);
  rebuild("Asia/Kolkata");
  late.key.object.id = 43;
  ASSERT_TRUE(writer_.write(late));
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_daily WHERE DAY(day) = 22"), 2);
  EXPECT_EQ(number("SELECT SUM(voters) FROM wp_ratingd_reach"), 1);
  expect_verified();
}

TEST_F(RollupRebuild, CorrectsWrongSums) {
  cast(500, 1);
  db::Connection owner(database_.owner());
  owner.execute("UPDATE wp_ratingd_totals SET sum = sum + 7, last_rated_at = '2030-01-01'");
  owner.execute("DELETE FROM wp_ratingd_daily LIMIT 20");
  owner.execute("UPDATE wp_ratingd_users SET total = total + 1 LIMIT 3");
  owner.execute("INSERT INTO wp_ratingd_reach VALUES ('2026-01-01', '2025-01-01', 3, 5)");
  owner.execute("DELETE FROM wp_ratingd_voters LIMIT 3");
  rebuild("Europe/Berlin");
  expect_verified();
}

TEST_F(RollupRebuild, AggregatesCount) {
  cast(200, 1);
  db::Connection owner(database_.owner());
  for (const char* key : {"1, 'post', 0, '2026-01-01'", "1, 'post', 2, '2026-01-02'",
                          "900, 'old', 1, '2026-01-01'"}) {
    owner.execute(std::string("INSERT INTO wp_ratingd_balances VALUES (") + key +
                  ", 'test', 5000, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, '2026-01-02')");
  }
  rebuild("Europe/Berlin");
  EXPECT_EQ(number("SELECT bin10 FROM wp_ratingd_totals WHERE object_id = 900"), 7);
  expect_verified();
}

TEST_F(RollupRebuild, VersionsGrowAlsoOfWhatHasNoRatingsLeft) {
  ASSERT_TRUE(writer_.write(vote(7, 1000)));
  ASSERT_TRUE(writer_.write(withdrawal(7)));
  const std::int64_t version = number("SELECT version FROM wp_ratingd_totals");
  rebuild("Europe/Berlin");
  EXPECT_GT(number("SELECT version FROM wp_ratingd_totals"), version);
}

TEST_F(RollupRebuild, WhatAVoterUsedUpOfTheDayStays) {
  votes::VoteRequest vote_request = vote(7, 1000);
  vote_request.rules.max_per_day = 5;
  ASSERT_TRUE(writer_.write(vote_request));
  rebuild("Europe/Berlin");
  EXPECT_EQ(number("SELECT ratings FROM wp_ratingd_voters WHERE voter = 7"), 1);
}

TEST_F(RollupRebuild, GoesOnWhereItWasInterrupted) {
  cast(500, 1);
  int interruptions = 0;
  for (bool is_through = false; !is_through;) {
    try {
      rebuild("Asia/Tokyo", 2);
      is_through = true;
    } catch (const Interruption&) {
      EXPECT_EQ(zone_of_rollups(), "Europe/Berlin");
      cast(20, 100 + static_cast<unsigned>(++interruptions));
      expect_verified();
    }
    EXPECT_EQ(was_resumed_, is_through || interruptions > 1);
  }
  EXPECT_GT(interruptions, 3);
  EXPECT_EQ(zone_of_rollups(), "Asia/Tokyo");
  expect_verified();
}

TEST_F(RollupRebuild, BeginsAnewForAnotherZone) {
  cast(500, 1);
  EXPECT_THROW(rebuild("Asia/Tokyo", 4), Interruption);
  cast(50, 2);
  rebuild("America/New_York");
  EXPECT_FALSE(was_resumed_);
  EXPECT_EQ(zone_of_rollups(), "America/New_York");
  expect_verified();
}

TEST_F(RollupRebuild, TwoAtOnceAreRefused) {
  db::Connection connection(database_.ratingctl());
  const rollups::RollupRebuild first(connection, zone("Asia/Tokyo"));
  db::Connection other(database_.ratingctl());
  EXPECT_THROW(rollups::RollupRebuild(other, zone("Asia/Tokyo"),
                                      rollups::RollupRebuild::kFirstSlice, std::chrono::seconds(0)),
               db::Conflict);
}

// Runs writers, a thread that holds and releases votes, and a rebuild that is killed at random.
class KilledRebuild : public RollupRebuild {
 protected:
  ~KilledRebuild() override {
    stops_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  void start() {
    for (unsigned seed = 1; seed <= 2; ++seed)
      threads_.emplace_back([this, seed] { keep_voting(seed); });
    threads_.emplace_back([this] { keep_holding(); });
  }
  void stop() {
    stops_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  void keep_voting(unsigned seed) {
    std::mt19937 dice(seed);
    votes::VoteWriter writer(votes::writer_sessions(database_.endpoint()), caches_, log_, {});
    while (!stops_) {
      std::vector<votes::VoteRequest> vote_requests;
      for (int i = 0; i < 8; ++i) vote_requests.push_back(random_vote_request(dice));
      for (const auto& vote_result : writer.write_all(vote_requests))
        ++(vote_result ? stored_ : failed_);
    }
  }
  void keep_holding() {
    db::Connection connection(database_.endpoint());
    const votes::HeldStore held(caches_);
    for (std::uint64_t object = 1; !stops_; object = object % 40 + 1) {
      std::map<model::RatingKey, votes::Reasons> reasons;
      db::Rows row = connection.query(
          "SELECT category, voter FROM wp_ratingd_votes WHERE object_type = 'post' AND"
          " object_id = " +
          std::to_string(object) + " LIMIT 5");
      while (row.next()) {
        reasons[{
            {object, "post"}, static_cast<Category>(row.integer(1)), row.unsigned_integer(2)}] = 1;
      }
      std::vector<model::RatingKey> keys;
      for (const auto& [key, reason] : reasons) keys.push_back(key);
      try {
        held.hold(connection, reasons, kNoon);
        if (object % 2 == 0) held.release(connection, keys);
      } catch (const db::Conflict&) {
        // Conflicts are expected under this load; the votes must be right.
      }
    }
  }
  // Whether the run was completed.
  bool run_until_killed(const char* name, std::chrono::milliseconds time) {
    db::Connection connection(database_.ratingctl());
    db::Rows row = connection.query("SELECT CONNECTION_ID()");
    const std::string id = row.next() ? row.text(1) : "";
    std::atomic<bool> is_over = false;
    std::thread killer([&] {
      const auto end = std::chrono::steady_clock::now() + time;
      while (!is_over && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      if (is_over) return;
      try {
        db::Connection(database_.owner()).execute("KILL " + id);
      } catch (const db::Failure&) {
        // The connection has just ended.
      }
    });
    bool is_complete = false;
    try {
      rollups::RollupRebuild(connection, zone(name), 50)
          .run([](std::int64_t, std::int64_t) {}, [] {});
      is_complete = true;
    } catch (const db::ConnectionLost&) {
    }
    is_over = true;
    killer.join();
    return is_complete;
  }

  std::atomic<bool> stops_ = false;
  std::atomic<int> stored_ = 0, failed_ = 0;
  std::vector<std::thread> threads_;
};

TEST_F(KilledRebuild, IsExactWhileOthersVote) {
  cast(1000, 1);
  start();
  std::mt19937 dice(1);
  int killed = 0;
  for (const char* name : {"Asia/Kolkata", "America/New_York"}) {
    for (auto time = 5ms; !run_until_killed(name, time); ++killed) {
      time += std::chrono::milliseconds(dice() % 400);
    }
    EXPECT_EQ(zone_of_rollups(), name);
    expect_verified();
  }
  stop();
  expect_verified();
  EXPECT_GT(killed, 0);
  EXPECT_GT(stored_, 100);
  EXPECT_EQ(failed_, 0);
}

}  // namespace
