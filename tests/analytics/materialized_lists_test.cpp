#include "analytics/materialized_lists.h"

#include <gtest/gtest.h>

#include "analytics/calendar.h"
#include "analytics/rating_filter.h"
#include "analytics/user_analytics.h"
#include "db/lease.h"
#include "rollups/repair.h"
#include "support/clock.h"
#include "support/voting.h"
#include "support/wordpress_cms.h"
#include "transfer/rating_merge.h"
#include "transfer/retention.h"
#include "votes/held_store.h"

namespace {

using namespace std::chrono_literals;
using analytics::ListRefresher;
using analytics::NamedPeriod;

// In the tests, it is noon on a Saturday in Berlin.
const base::Time kNow = base::Day(2026y / 11 / 21) + 11h;
constexpr int kPeriods = static_cast<int>(analytics::kNamedPeriods.size());

class MaterializedLists : public support::Voting {
 protected:
  void cast(std::uint64_t object, model::VoterId voter, model::Category category,
            std::string type = "post") {
    votes::VoteRequest vote_request;
    vote_request.key = {{object, std::move(type)}, category, voter};
    vote_request.value = 1000;
    vote_request.received_at = clock_.now();
    ASSERT_TRUE(writer_.write(vote_request));
  }
  void vote(std::uint64_t object, model::VoterId voter = 1) {
    cast(object, voter, model::Category::binary);
  }

  [[nodiscard]] analytics::ListQuery query(NamedPeriod period = NamedPeriod::today) const {
    const base::Day today = base::Zone::named("Europe/Berlin").value().day_of(clock_.now());
    return {period, {today, today}, "Europe/Berlin"};
  }
  // Returns how many objects of each type were rated today, or nothing if there is no materialized
  // list.
  std::optional<analytics::Materialized<std::map<std::string, std::int64_t>>> rated_today() {
    return analytics::materialized_rated_objects(connection_, query(), {});
  }
  std::int64_t count_of_posts() {
    const auto materialized = rated_today();
    return materialized ? materialized->value.at("post") : -1;
  }

  support::FixedClock clock_{kNow};
  db::Connection connection_{database_.endpoint()};
  ListRefresher refresher_{support::wordpress_cms(), clock_, 0ms};
};

TEST_F(MaterializedLists, AreMissingBeforeTheFirstRefresh) {
  EXPECT_FALSE(rated_today());
  EXPECT_EQ(refresher_.refresh(connection_), kPeriods);
  EXPECT_TRUE(rated_today());
}

TEST_F(MaterializedLists, FastPeriodsAreNotMaterialized) {
  vote(1);
  refresher_.refresh(connection_);
  EXPECT_TRUE(rated_today());
  clock_.advance(1min);
  vote(2);
  ListRefresher context(support::wordpress_cms(), clock_, 1h);
  EXPECT_EQ(context.refresh(connection_), kPeriods);
  EXPECT_FALSE(rated_today());
}

TEST_F(MaterializedLists, OfAnEmptySiteAreEmpty) {
  refresher_.refresh(connection_);
  analytics::RatingFilter filter;
  EXPECT_EQ(analytics::materialized_users(connection_, query(), filter, {}, 0, 20)->value.total, 0);
  filter.category = model::Category::scale;
  const auto top = analytics::materialized_top(connection_, query(), filter, {}, 0, 20);
  ASSERT_TRUE(top);
  EXPECT_EQ(top->value.total, 0);
  EXPECT_TRUE(
      analytics::materialized_most_rated(connection_, query(), "post", {}, 10)->value.empty());
}

TEST_F(MaterializedLists, AreReadAgainAfterAMinuteIfVotesCame) {
  vote(1);
  refresher_.refresh(connection_);
  vote(2);
  clock_.advance(59s);
  EXPECT_EQ(refresher_.refresh(connection_), 0);
  EXPECT_EQ(count_of_posts(), 1);
  EXPECT_EQ(rated_today()->as_of, kNow);
  clock_.advance(1s);
  EXPECT_EQ(refresher_.refresh(connection_), kPeriods);
  EXPECT_EQ(count_of_posts(), 2);
  EXPECT_EQ(rated_today()->as_of, kNow + 60s);
}

TEST_F(MaterializedLists, WithoutVotesAreStillTrueAndNotReadAgain) {
  vote(1);
  refresher_.refresh(connection_);
  clock_.advance(60s);
  EXPECT_EQ(refresher_.refresh(connection_), 0);
  EXPECT_EQ(rated_today()->as_of, kNow + 60s);
}

TEST_F(MaterializedLists, VotesThatMoveNoSumCount) {
  vote(1, 1);
  refresher_.refresh(connection_);
  votes::VoteRequest vote_request;
  vote_request.key = {{1, "post"}, model::Category::binary, 1};
  vote_request.received_at = clock_.now();
  ASSERT_TRUE(writer_.write(vote_request));
  vote(2, 2);
  clock_.advance(60s);
  EXPECT_EQ(refresher_.refresh(connection_), kPeriods);
}

TEST_F(MaterializedLists, InvalidatedListsAreRefreshedAtOnce) {
  vote(1);
  refresher_.refresh(connection_);
  analytics::invalidate_lists(connection_);
  EXPECT_FALSE(rated_today());
  EXPECT_EQ(refresher_.refresh(connection_), kPeriods);
  EXPECT_TRUE(rated_today());
}

// An import that changes only timestamps does not change any sums. All changes in this test are
// made by administrators, not by batches of votes.
TEST_F(MaterializedLists, ChangesByAdministratorsCount) {
  vote(1);
  const model::RatingKey key{{1, "post"}, model::Category::binary, 1};
  const transfer::RatingMerge merge(connection_);
  const votes::HeldStore held(caches_);
  const auto import = [&](base::Time time) {
    const transfer::StoredRating rating{key, 1000, kNow, time, {}, ""};
    transfer::MergeMemory memory;
    EXPECT_EQ(merge.merge({&rating, 1}, memory).changed, 1U);
  };
  const auto expect_read_again = [&](const char* what) {
    clock_.advance(60s);
    EXPECT_EQ(refresher_.refresh(connection_), kPeriods) << what;
    clock_.advance(60s);
    EXPECT_EQ(refresher_.refresh(connection_), 0) << what;
  };
  refresher_.refresh(connection_);
  import(kNow + 1s);
  expect_read_again("import");
  connection_.execute("UPDATE wp_ratingd_votes SET agent = 5");  // else, the vote is never held
  EXPECT_EQ(held.hold(connection_, {{key, votes::kOneAgent}}, kNow), 1U);
  held.release(connection_, {&key, 1});
  expect_read_again("hold and release");
  db::Connection session(database_.ratingctl());
  session.execute("UPDATE wp_ratingd_totals SET sum = sum + 1");
  EXPECT_EQ(rollups::Repair(session, kNow).run([](std::int64_t, std::int64_t) {}).rows, 1);
  expect_read_again("repair");
  EXPECT_EQ(transfer::Aggregation(connection_).aggregate(kNow + 1h), 1U);
  expect_read_again("fold");
}

TEST_F(MaterializedLists, RefreshTakesAtMostAFiftiethOfTheTime) {
  vote(1);
  refresher_.refresh(connection_);
  connection_.execute("UPDATE wp_ratingd_kept_periods SET cost_ms = 3000 WHERE period = 7");
  vote(2);
  clock_.advance(149s);
  EXPECT_EQ(refresher_.refresh(connection_), kPeriods - 1);
  clock_.advance(1s);
  EXPECT_EQ(refresher_.refresh(connection_), 1);
}

TEST_F(MaterializedLists, OfAnotherDayOrZoneAreReadAtOnce) {
  vote(1);
  refresher_.refresh(connection_);
  clock_.set(kNow + 12h - 1s);
  refresher_.refresh(connection_);
  clock_.advance(1s);
  EXPECT_FALSE(rated_today());
  EXPECT_EQ(refresher_.refresh(connection_), kPeriods);
  EXPECT_TRUE(rated_today());
  // The tables rollup_state and zones contain the same time zones.
  for (const char* table : {"rollup_state", "zones"}) {
    connection_.execute(std::string("UPDATE wp_ratingd_") + table +
                        " SET zone = 'Europe/Paris' WHERE zone = 'Europe/Berlin'");
  }
  EXPECT_EQ(refresher_.refresh(connection_), kPeriods);
  EXPECT_FALSE(rated_today());
}

TEST_F(MaterializedLists, HostsThatDisagreeAboutTheDayDoNotTakeTurns) {
  clock_.set(kNow + 12h - 1s);
  support::FixedClock ahead(kNow + 12h + 1s);
  ListRefresher other(support::wordpress_cms(), ahead, 0ms);
  refresher_.refresh(connection_);
  EXPECT_EQ(other.refresh(connection_), kPeriods);  // the day has already begun in that zone
  EXPECT_EQ(refresher_.refresh(connection_), 0);
  EXPECT_EQ(other.refresh(connection_), 0);
}

TEST_F(MaterializedLists, OfAClockThatWasAheadAreMadeAnew) {
  support::FixedClock ahead(kNow + 1h);
  ListRefresher other(support::wordpress_cms(), ahead, 0ms);
  EXPECT_EQ(other.refresh(connection_), kPeriods);
  vote(7);
  EXPECT_EQ(refresher_.refresh(connection_), kPeriods);
}

TEST_F(MaterializedLists, OneWorkerAtATimeReads) {
  ListRefresher other(support::wordpress_cms(), clock_, 0ms);
  {
    db::Connection session(database_.endpoint());
    const db::Lease lease(session, "lists", 0s, "taken");
    EXPECT_THROW(refresher_.refresh(connection_), db::Conflict);
  }
  EXPECT_EQ(refresher_.refresh(connection_), kPeriods);
  EXPECT_EQ(other.refresh(connection_), 0);
}

TEST_F(MaterializedLists, DeadWorkerIsReplaced) {
  connection_.execute(
      "INSERT INTO wp_ratingd_leases VALUES ('lists', 42, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, 7)");
  EXPECT_THROW(refresher_.refresh(connection_), db::Conflict);
  connection_.execute("UPDATE wp_ratingd_leases SET expires_at = UTC_TIMESTAMP(6)");
  EXPECT_EQ(refresher_.refresh(connection_), kPeriods);
}

TEST_F(MaterializedLists, AfterAFailureThePeriodIsLeftAlone) {
  db::Connection owner(database_.owner());
  owner.execute("RENAME TABLE wp_ratingd_daily TO wp_aside");
  EXPECT_THROW(refresher_.refresh(connection_), db::Failure);
  owner.execute("RENAME TABLE wp_aside TO wp_ratingd_daily");
  EXPECT_EQ(refresher_.refresh(connection_), kPeriods - 1);
  clock_.advance(ListRefresher::kShare * ListRefresher::kLongestStatement);
  EXPECT_EQ(refresher_.refresh(connection_), 1);
}

TEST_F(MaterializedLists, PagesEndWithTheMaterializedEntries) {
  for (std::uint64_t user = 1; user <= analytics::kListEntries + 3; ++user) vote(1, user);
  refresher_.refresh(connection_);
  const auto users = [&](std::int64_t offset, std::int64_t limit) {
    return analytics::materialized_users(connection_, query(), {},
                                         {analytics::UserOrder::user_id, true}, offset, limit);
  };
  EXPECT_EQ(users(190, 10)->value.items.back().user_id, 200U);
  EXPECT_EQ(users(190, 10)->value.total, 203);
  EXPECT_FALSE(users(190, 11));
  EXPECT_FALSE(users(200, 10));
  EXPECT_EQ(users(203, 10)->value.total, 203);  // after the end
}

TEST_F(MaterializedLists, OverviewIsFullWithoutHiddenObjects) {
  for (std::uint64_t id = 1; id <= 5; ++id) cast(id, 1, model::Category::scale, "song");
  refresher_.refresh(connection_);
  const auto overview = [&](const model::ObjectSet& hidden) {
    std::vector<std::uint64_t> ids;
    const auto found = analytics::materialized_most_rated(connection_, query(), "song", hidden, 3);
    for (const auto& one : found->value) ids.push_back(one.object.id);
    return ids;
  };
  EXPECT_EQ(overview({}), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(overview({{1, "song"}, {3, "song"}, {2, "post"}}),
            (std::vector<std::uint64_t>{2, 4, 5}));
  EXPECT_EQ(overview({{1, "song"}, {2, "song"}, {3, "song"}}), (std::vector<std::uint64_t>{4, 5}));
}

TEST_F(MaterializedLists, TypeThatNobodyRatedIsKnownToBeEmpty) {
  constexpr int kTypes = analytics::kListTypes;
  for (int type = 0; type <= kTypes; ++type) {
    for (int i = type; i <= kTypes; ++i) {
      cast(static_cast<std::uint64_t>(i) + 1, 1, model::Category::scale,
           "type" + std::to_string(type));
    }
  }
  refresher_.refresh(connection_);
  EXPECT_EQ(analytics::materialized_most_rated(connection_, query(), "type0", {}, 3)->value.size(),
            3U);
  EXPECT_TRUE(
      analytics::materialized_most_rated(connection_, query(), "nothing", {}, 3)->value.empty());
  // The highest-numbered object type has the fewest ratings, so it has no materialized list.
  EXPECT_FALSE(analytics::materialized_most_rated(connection_, query(),
                                                  "type" + std::to_string(kTypes), {}, 3));
  EXPECT_EQ(rated_today()->value.size(), analytics::kListTypes + 1);
}

TEST_F(MaterializedLists, LongListIsReadInParts) {
  const std::string insert =
      "INSERT INTO wp_ratingd_daily (object_id, object_type, category, day, total, sum, positive,"
      " negative) ";
  connection_.execute(insert + "VALUES (1, 'page', 2, '2026-11-21', 1, 1, 1, 0)");
  constexpr std::int64_t kObjects = 1 << 14;
  for (std::int64_t known = 1; known < kObjects; known *= 2) {
    const std::string id = "object_id + " + std::to_string(known);
    connection_.execute(insert + "SELECT " + id + ", IF(" + id +
                        " > 9000, 'post', 'page'), 2, day, 1, (" + id +
                        ") % 1000, 1, 0 FROM wp_ratingd_daily");
  }
  refresher_.refresh(connection_);
  db::Rows row = connection_.query(
      "SELECT COUNT(*) FROM wp_ratingd_kept_lists WHERE period = 0 AND list = 0 AND category = 2");
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.integer(1), 2);
  analytics::RatingFilter filter;
  filter.category = model::Category::scale;
  analytics::RankingQuery ranking;
  ranking.order_by = analytics::Metric::average;
  const auto top =
      analytics::materialized_top(connection_, query(), filter, ranking, kObjects - 1, 1);
  ASSERT_TRUE(top);
  EXPECT_EQ(top->value.total, kObjects);
  // Object 16,000 comes last, because it is the last by type and id among the objects with the
  // lowest average.
  EXPECT_EQ(top->value.items.front().object, (model::Object{16'000, "post"}));
  filter.object_type = "post";
  EXPECT_EQ(analytics::materialized_top(connection_, query(), filter, ranking, 0, 1)->value.total,
            kObjects - 9'000);
}

}  // namespace
