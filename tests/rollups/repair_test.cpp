#include "rollups/repair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <random>
#include <semaphore>
#include <set>
#include <thread>
#include <vector>

#include "db/transaction.h"
#include "rollups/rollup.h"
#include "rollups/rollup_state.h"
#include "rollups/writers.h"
#include "support/damage.h"
#include "support/voting.h"
#include "transfer/rating_merge.h"
#include "transfer/rating_removal.h"
#include "transfer/retention.h"
#include "votes/demo_votes.h"
#include "votes/held_store.h"

namespace {

using namespace std::chrono_literals;
using model::Category;
using rollups::Activity;
using rollups::kNeverActive;
using rollups::pairs_to_add;
using support::at;
using support::kNoon;
using support::on;
using support::vote;
using support::withdrawal;
using Pairs = std::map<Activity::Pair, std::int64_t>;

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
  vote_request.agent = 5;  // only votes with a user agent can be held
  return vote_request;
}

class Repair : public support::Voting {
 protected:
  // Repairs the sums in small slices, as ratingctl does.
  rollups::Repair::Result repair() {
    db::Connection connection(database_.ratingctl());
    return rollups::Repair(connection, kNoon, 5s, rows_of_slice_)
        .run([](std::int64_t, std::int64_t) {});
  }
  void expect_repaired(std::int64_t rows) {
    const auto result = repair();
    EXPECT_EQ(result.rows, rows);
    EXPECT_TRUE(result.is_complete);
    expect_verified();
  }
  void cast(int count, unsigned seed) {
    std::mt19937 dice(seed);
    std::vector<votes::VoteRequest> vote_requests;
    for (int i = 0; i < count; ++i) vote_requests.push_back(random_vote_request(dice));
    for (const auto& vote_result : writer_.write_all(vote_requests)) ASSERT_TRUE(vote_result);
  }
  std::string counted() {
    db::Connection connection(database_.endpoint());
    return support::counted(connection);
  }
  void execute(const std::string& statement) {
    db::Connection(database_.owner()).execute(statement);
  }
  std::size_t rows_of_slice_ = 7;

  rollups::RepairDue due() {
    db::Connection connection(database_.endpoint());
    return rollups::repair_due(connection);
  }
};

TEST_F(Repair, OfRightSumsChangesNothing) {
  cast(600, 1);
  const std::string before = counted();
  const auto changes = number("SELECT sequence FROM wp_ratingd_writers WHERE writer = 0");
  expect_repaired(0);
  EXPECT_EQ(counted(), before);
  EXPECT_EQ(number("SELECT sequence FROM wp_ratingd_writers WHERE writer = 0"), changes);
}

// Damages the tables in many ways and checks that the repair restores them.
TEST_F(Repair, RestoresWhatWasThere) {
  cast(600, 1);
  const std::string before = counted();
  for (const char* damage : {
           "UPDATE wp_ratingd_totals SET sum = sum + 7, last_rated_at = '2030-01-01'",
           "UPDATE wp_ratingd_totals SET last_rated_at = '2020-01-01' LIMIT 5",
           "UPDATE wp_ratingd_totals SET sum = 9223372036854775807, bin0 = -9e18 LIMIT 3",
           "DELETE FROM wp_ratingd_totals LIMIT 9",
           "DELETE FROM wp_ratingd_daily LIMIT 20",
           "UPDATE wp_ratingd_daily SET day = day + INTERVAL 1 YEAR LIMIT 5",
           "INSERT INTO wp_ratingd_daily VALUES (9, 'post', 0, '2020-02-02', 1, 1000, 1, 0)",
           "UPDATE wp_ratingd_site_daily SET bin10 = bin10 + 1, sum = sum - 1 LIMIT 4",
           "UPDATE wp_ratingd_site_daily SET sum = 9223372036854775807",
           "DELETE FROM wp_ratingd_site_daily LIMIT 4",
           "UPDATE wp_ratingd_users SET total = total + 1 LIMIT 3",
           "DELETE FROM wp_ratingd_user_daily LIMIT 7",
           "UPDATE wp_ratingd_reach SET voters = voters + 2 LIMIT 1",
       }) {
    execute(damage);
    const auto result = repair();
    EXPECT_GT(result.rows, 0) << damage;
    EXPECT_TRUE(result.is_complete) << damage;
    EXPECT_EQ(counted(), before) << damage;
    expect_verified();
  }
}

// After the repair, the restored rows contain timestamps from the votes that are still stored.
TEST_F(Repair, DeletedRowsOfUsersComeBack) {
  for (int i = 1; i <= 40; ++i) {
    const auto object = static_cast<std::uint64_t>(i);
    ASSERT_TRUE(writer_.write(at(kNoon + i * 1h, on(object, vote(object % 7 + 1, 1000)))));
  }
  const std::string before = counted();
  execute("DELETE FROM wp_ratingd_users");
  expect_repaired(7);
  EXPECT_EQ(counted(), before);
}

TEST_F(Repair, EmptyTablesOfSumsAreFilled) {
  cast(600, 1);
  for (const char* table :
       {"totals", "daily", "site_daily", "users", "user_daily", "voters", "reach"}) {
    execute(std::string("DELETE FROM wp_ratingd_") + table);
  }
  EXPECT_TRUE(repair().is_complete);
  expect_verified();
  EXPECT_TRUE(writer_.write(vote(7, 1000)));
  EXPECT_TRUE(writer_.write(vote(7, 0)));
  expect_verified();
}

TEST_F(Repair, AggregatesCount) {
  cast(200, 1);
  for (const char* key : {"1, 'post', 0, '2026-01-01'", "1, 'post', 2, '2026-01-02'",
                          "900, 'old', 1, '2026-01-01'"}) {
    execute(std::string("INSERT INTO wp_ratingd_balances VALUES (") + key +
            ", 'test', 5000, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, '2026-01-02')");
  }
  EXPECT_TRUE(repair().is_complete);
  EXPECT_EQ(number("SELECT bin10 FROM wp_ratingd_totals WHERE object_id = 900"), 7);
  expect_verified();
}

TEST_F(Repair, VersionsGrowAlsoOfDeletedRows) {
  ASSERT_TRUE(writer_.write(vote(7, 1000)));
  ASSERT_TRUE(writer_.write(withdrawal(7)));
  const std::int64_t version = number("SELECT version FROM wp_ratingd_totals");
  execute("UPDATE wp_ratingd_totals SET sum = 5");
  expect_repaired(1);
  EXPECT_EQ(number("SELECT version FROM wp_ratingd_totals"), version + 1);
  ASSERT_TRUE(writer_.write(vote(7, 1000)));
  execute("DELETE FROM wp_ratingd_totals");
  expect_repaired(1);
  EXPECT_GT(number("SELECT version FROM wp_ratingd_totals"), 1'000'000);
}

// The timestamps in a user's row also cover withdrawn ratings, so a repair never shortens the time
// range in the row.
TEST_F(Repair, TimesOfUsersAreKept) {
  ASSERT_TRUE(writer_.write(at(kNoon - 48h, vote(7, 1000))));
  ASSERT_TRUE(writer_.write(at(kNoon - 24h, withdrawal(7))));
  ASSERT_TRUE(writer_.write(on(43, vote(7, 1000))));
  execute("UPDATE wp_ratingd_users SET total = 9, last_rated_at = '2026-11-20 12:00:00'");
  expect_repaired(1);
  EXPECT_EQ(number("SELECT total FROM wp_ratingd_users"), 1);
  EXPECT_EQ(number("SELECT DAY(first_rated_at) * 100 + DAY(last_rated_at) FROM wp_ratingd_users"),
            1921);
}

TEST_F(Repair, ActivityOfWithdrawnRatingsIsKept) {
  ASSERT_TRUE(writer_.write(at(kNoon - 48h, vote(7, 1000))));
  ASSERT_TRUE(writer_.write(at(kNoon - 24h, withdrawal(7))));
  ASSERT_TRUE(writer_.write(on(43, vote(7, 1000))));
  const std::string before = counted();
  execute("UPDATE wp_ratingd_totals SET sum = sum + 1");
  EXPECT_TRUE(repair().is_complete);
  EXPECT_EQ(counted(), before);
}

TEST_F(Repair, WhatAVoterUsedUpOfTheDayStays) {
  votes::VoteRequest vote_request = vote(7, 1000);
  vote_request.rules.max_per_day = 5;
  ASSERT_TRUE(writer_.write(vote_request));
  execute("UPDATE wp_ratingd_totals SET sum = 5");
  expect_repaired(1);
  EXPECT_EQ(number("SELECT ratings FROM wp_ratingd_voters WHERE voter = 7"), 1);
}

TEST_F(Repair, LastDaysAreRaisedWhereVotesAreNewer) {
  for (const int days : {3, 2, 1}) {
    ASSERT_TRUE(
        writer_.write(at(kNoon - days * 24h, on(static_cast<std::uint64_t>(days), vote(7, 1000)))));
  }
  const std::string before = counted();
  execute("UPDATE wp_ratingd_voters SET last_day = '2026-11-18'");
  EXPECT_TRUE(repair().is_complete);
  EXPECT_EQ(counted(), before);
  execute("DELETE FROM wp_ratingd_voters");
  EXPECT_TRUE(repair().is_complete);
  EXPECT_EQ(counted(), before);
}

TEST_F(Repair, VotersWithHeldVotesHaveARow) {
  votes::VoteRequest request = vote(7, 1000);
  request.agent = 5;
  ASSERT_TRUE(writer_.write(request));
  db::Connection connection(database_.endpoint());
  votes::HeldStore(caches_).hold(connection, {{vote(7, 1000).key, votes::kOneAgent}}, kNoon);
  execute("DELETE FROM wp_ratingd_voters");
  EXPECT_TRUE(repair().is_complete);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_voters WHERE last_day = '1000-01-01'"), 1);
  EXPECT_EQ(repair().rows, 0);
}

TEST_F(Repair, ObjectsOfAnyNumberAreRepaired) {
  for (const std::uint64_t object :
       {std::uint64_t{1}, std::uint64_t{9223372036854775806}, std::uint64_t{9223372036854775807}}) {
    ASSERT_TRUE(writer_.write(on(object, vote(7, 1000))));
  }
  execute(
      "INSERT INTO wp_ratingd_totals SELECT 18446744073709551615, object_type, category, sum,"
      " bin0, bin1, bin2, bin3, bin4, bin5, bin6, bin7, bin8, bin9, bin10, last_rated_at,"
      " version FROM wp_ratingd_totals WHERE object_id = 1");
  execute("UPDATE wp_ratingd_totals SET bin3 = 1");
  expect_repaired(4);
}

TEST_F(Repair, TwoAtOnceAreRefused) {
  db::Connection connection(database_.ratingctl());
  const rollups::Repair first(connection, kNoon);
  db::Connection other(database_.ratingctl());
  EXPECT_THROW(rollups::Repair(other, kNoon, 0s), db::Conflict);
}

TEST_F(Repair, DemoVotesNeedNone) {
  db::Connection connection(database_.ratingctl());
  votes::DemoSite site;
  site.votes = 20'000;
  site.objects = 500;
  site.until = kNoon;
  std::int64_t stored = 0;
  std::int64_t summed_up = 0;
  votes::store_demo_votes(connection, site, [&](std::int64_t done) { stored = done; });
  votes::sum_up_demo_voters(connection, [&](std::int64_t done) { summed_up = done; });
  EXPECT_EQ(stored, 20'000);
  EXPECT_EQ(summed_up, 20'000);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 20'000);
  EXPECT_EQ(number("SELECT COUNT(DISTINCT object_id) FROM wp_ratingd_votes"), 500);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes WHERE rated_at > '2026-11-21 12:00:00'"),
            0);
  expect_repaired(0);
}

// --- Rebuilds by version 0.3

TEST_F(Repair, IsDueUntilItIsComplete) {
  EXPECT_EQ(due(), rollups::RepairDue::now);
  repair();
  EXPECT_EQ(due(), rollups::RepairDue::no);
}

TEST_F(Repair, IsDueAfterVersion03HasRebuilt) {
  repair();
  execute("UPDATE wp_ratingd_rollup_state SET rebuilds = rebuilds + 1");
  EXPECT_EQ(due(), rollups::RepairDue::now);
}

TEST_F(Repair, IsDueOnceTheWorkersOfVersion03HaveEnded) {
  repair();
  execute("INSERT INTO wp_ratingd_writers (writer, sequence, seen_on) VALUES (99, 1, UTC_DATE())");
  EXPECT_EQ(due(), rollups::RepairDue::later);
  execute(
      "UPDATE wp_ratingd_state SET value = CONCAT('0/', UTC_DATE() - INTERVAL 1 DAY)"
      " WHERE name = 'repaired'");
  execute("UPDATE wp_ratingd_writers SET seen_on = UTC_DATE() - INTERVAL 1 DAY WHERE writer = 99");
  EXPECT_EQ(due(), rollups::RepairDue::now);
  repair();
  EXPECT_EQ(due(), rollups::RepairDue::no);
}

TEST_F(Repair, IsDueAfterVotesOfWorkersThatLackARollup) {
  repair();
  execute(
      "INSERT INTO wp_ratingd_writers (writer, sequence, seen_on, program)"
      " VALUES (99, 1, UTC_DATE(), " +
      std::to_string(rollups::kProgram - 1) + ")");
  EXPECT_EQ(due(), rollups::RepairDue::later);
}

TEST_F(Repair, VotesEndARebuildByVersion03) {
  repair();
  const auto begin = [&] {
    execute("UPDATE wp_ratingd_rollup_state SET next_zone = 'UTC', phase = 3, object_id = 9");
  };
  const auto expect_ended = [&] {
    EXPECT_EQ(number("SELECT phase + object_id + LENGTH(next_zone) FROM wp_ratingd_rollup_state"),
              0);
    EXPECT_EQ(due(), rollups::RepairDue::now);
    expect_verified();
  };
  begin();
  ASSERT_TRUE(writer_.write(vote(7, 1000)));
  expect_ended();
  begin();
  db::Connection connection(database_.endpoint());
  const auto key = vote(7, 1000).key;
  transfer::RatingRemoval(connection).remove({&key, 1});
  expect_ended();
  begin();
  repair();
  EXPECT_EQ(number("SELECT phase FROM wp_ratingd_rollup_state"), 0);
  EXPECT_EQ(due(), rollups::RepairDue::no);
}

// A batch of votes fails after five conflicts, so the test begins the next rebuild only after each
// writer has stored a vote.
TEST_F(Repair, ManyWritersEndARebuildByVersion03) {
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  std::array<std::atomic<int>, 4> stored{};
  std::atomic<bool> is_over = false;
  for (std::atomic<int>& of_writer : stored) {
    threads.emplace_back([&] {
      std::mt19937 dice(static_cast<unsigned>(&of_writer - stored.data()));
      votes::VoteWriter writer(votes::writer_sessions(database_.endpoint()), caches_, log_, {});
      while (!is_over) ++(writer.write(random_vote_request(dice)) ? of_writer : failed);
    });
  }
  std::array<int, 4> before{};
  const auto has_all_new_votes = [&] {
    return std::equal(stored.begin(), stored.end(), before.begin(), std::greater<>());
  };
  db::Connection owner(database_.owner());
  for (int i = 0; i < 20; ++i) {
    db::in_transaction(owner, 100, [&] {
      owner.execute("UPDATE wp_ratingd_rollup_state SET next_zone = 'UTC', phase = 3");
    });
    const auto end = std::chrono::steady_clock::now() + 30s;
    std::copy(stored.begin(), stored.end(), before.begin());
    while (number("SELECT phase FROM wp_ratingd_rollup_state") != 0 || !has_all_new_votes()) {
      if (std::chrono::steady_clock::now() > end) break;
    }
    EXPECT_LT(std::chrono::steady_clock::now(), end);
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  expect_verified();
}

// --- Repairs under load

// Runs writers, imports, deletions, and a thread that holds and releases votes.
class RepairUnderLoad : public Repair {
 protected:
  RepairUnderLoad() { rows_of_slice_ = 50; }
  ~RepairUnderLoad() override { stop(); }
  void start() {
    for (unsigned seed = 1; seed <= 2; ++seed) {
      threads_.emplace_back([this, seed] { keep_voting(seed); });
    }
    threads_.emplace_back([this] { keep_changing(); });
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
      for (const auto& vote_result : writer.write_all(vote_requests)) {
        ++(vote_result ? stored_ : failed_);
      }
    }
  }
  // Imports and deletes ratings, and aggregates some of them.
  void keep_changing() {
    db::Connection connection(database_.endpoint());
    const transfer::RatingMerge merge(connection);
    const transfer::RatingRemoval removal(connection);
    const transfer::Aggregation aggregation(connection);
    transfer::MergeMemory memory;
    std::mt19937 dice(9);
    while (!stops_) {
      std::vector<transfer::StoredRating> ratings;
      std::vector<model::RatingKey> keys;
      for (int i = 0; i < 20; ++i) {
        const votes::VoteRequest vote_request = random_vote_request(dice);
        if (!vote_request.value) continue;
        ratings.push_back({vote_request.key,
                           *vote_request.value,
                           vote_request.received_at,
                           vote_request.received_at,
                           {},
                           ""});
        keys.push_back(random_vote_request(dice).key);
      }
      try {
        merge.merge(ratings, memory);
        removal.remove(keys);
        if (dice() % 8 == 0) aggregation.aggregate(kNoon + 24h);
      } catch (const db::Conflict&) {
        // Conflicts are expected under this load, but the sums must be correct.
      }
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
        // Conflicts are expected under this load.
      }
    }
  }
  // Returns true if the repair finished before its connection was killed.
  bool run_until_killed(std::chrono::microseconds time) {
    db::Connection connection(database_.ratingctl());
    const std::string id = std::to_string(connection.query("SELECT CONNECTION_ID()").number());
    std::binary_semaphore is_over(0);
    std::thread killer([&] {
      if (is_over.try_acquire_for(time)) return;
      try {
        db::Connection(database_.owner()).execute("KILL " + id);
      } catch (const db::Failure&) {
        // The connection may have ended before the KILL statement was executed.
      }
    });
    bool is_complete = false;
    try {
      is_complete = rollups::Repair(connection, kNoon, 5s, 50)
                        .run([](std::int64_t, std::int64_t) {})
                        .is_complete;
    } catch (const db::ConnectionLost&) {
    }
    is_over.release();
    killer.join();
    return is_complete;
  }

  std::atomic<bool> stops_ = false;
  std::atomic<int> stored_ = 0, failed_ = 0;
  std::vector<std::thread> threads_;
};

TEST_F(RepairUnderLoad, NoVoteIsLostOrCountedTwice) {
  cast(400, 1);
  start();
  std::mt19937 dice(7);
  db::Connection owner(database_.owner());
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 6; ++i) support::damage(owner, dice);
    const auto result = repair();
    EXPECT_GT(result.rows, 0);
    EXPECT_TRUE(result.is_complete);
    expect_verified();
  }
  stop();
  expect_verified();
  EXPECT_GT(stored_, 100);
  EXPECT_EQ(failed_, 0);
}

TEST_F(RepairUnderLoad, DamageDuringARepairIsFoundByItsNextPass) {
  cast(500, 1);
  start();
  std::atomic<bool> is_over = false;
  std::thread damaging([&] {
    db::Connection owner(database_.owner());
    std::mt19937 dice(3);
    for (int i = 0; i < 30 && !is_over; ++i) support::damage(owner, dice);
  });
  repair();
  is_over = true;
  damaging.join();
  EXPECT_TRUE(repair().is_complete);
  stop();
  expect_verified();
}

TEST_F(RepairUnderLoad, KilledAtAnyTimeItIsSafeToRepeat) {
  cast(400, 1);
  start();
  std::mt19937 dice(1);
  db::Connection owner(database_.owner());
  int killed = 0;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 10; ++i) support::damage(owner, dice);
    for (auto time = 2000us; !run_until_killed(time); ++killed) {
      time += time * (dice() % 100) / 100;
    }
    expect_verified();
  }
  stop();
  expect_verified();
  EXPECT_GT(killed, 0);
  EXPECT_EQ(failed_, 0);
}

base::Day day(int number) {
  return base::Day(std::chrono::year(2026) / 1 / 1) + std::chrono::days(number);
}

// Converts the active days of each voter to the form that the repair reads.
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

// A voter whose last active day was day 2 has voted again on day 6.
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
