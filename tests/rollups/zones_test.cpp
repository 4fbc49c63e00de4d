// Tests how lib/rollups/rollup_state.h and lib/rollups/repair.h handle a change of the site's time
// zone.

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "rollups/repair.h"
#include "rollups/rollup_state.h"
#include "support/voting.h"
#include "transfer/rating_merge.h"
#include "transfer/retention.h"

namespace {

using rollups::follow_zone;
using support::at;
using support::kNoon;
using support::on;
using support::vote;
using support::withdrawal;
using namespace std::chrono_literals;

base::Zone zone(const char* name) { return base::Zone::named(name).value(); }

// The site's zone is Europe/Berlin. kNoon is 13:00 in Berlin and 21:00 in Tokyo.
class Zones : public support::Voting {
 protected:
  bool follow(const char* name, base::Time now = kNoon) {
    db::Connection connection(database_.endpoint());
    return follow_zone(connection, zone(name), now);
  }
  base::ZoneHistory stored() {
    db::Connection connection(database_.endpoint());
    return rollups::stored_zones(connection);
  }
  std::string zone_in_force() {
    db::Connection connection(database_.endpoint());
    return rollups::read_state(connection).zone.name();
  }
  std::int64_t day_of_object(std::uint64_t object) {
    return number("SELECT DAY(day) FROM wp_ratingd_daily WHERE total > 0 AND object_id = " +
                  std::to_string(object));
  }
  void cast(const votes::VoteRequest& vote_request) { ASSERT_TRUE(writer_.write(vote_request)); }
};

// Midnight in Berlin, at 23:00 UTC, is later than midnight in Tokyo.
TEST_F(Zones, ANewZoneBeginsAtTheLaterMidnight) {
  EXPECT_FALSE(follow("Europe/Berlin"));
  EXPECT_TRUE(follow("Asia/Tokyo"));
  EXPECT_EQ(stored().last_since(), kNoon + 11h);
  EXPECT_EQ(stored().last().name(), "Asia/Tokyo");
  EXPECT_EQ(zone_in_force(), "Europe/Berlin");
  EXPECT_FALSE(follow("Asia/Tokyo", kNoon + 10h));
  EXPECT_TRUE(follow("Asia/Tokyo", kNoon + 11h));
  EXPECT_EQ(zone_in_force(), "Asia/Tokyo");
  EXPECT_FALSE(follow("Asia/Tokyo", kNoon + 12h));
}

// The zone changes from Berlin to Tokyo, so November 22 lasts from midnight in Berlin (23:00 UTC)
// to the next midnight in Tokyo (15:00 UTC).
TEST_F(Zones, VotesCountOnTheDayOfTheirTime) {
  cast(at(kNoon - 24h, on(1, vote(7, 1000))));
  follow("Asia/Tokyo");
  cast(at(kNoon + 4h, on(2, vote(7, 1000))));  // 1:00 in Tokyo
  EXPECT_EQ(day_of_object(2), 21);
  cast(at(kNoon + 12h, on(3, vote(7, 1000))));
  EXPECT_EQ(day_of_object(3), 22);
  cast(at(kNoon + 27h - 1s, on(4, vote(7, 1000))));
  EXPECT_EQ(day_of_object(4), 22);
  cast(at(kNoon + 27h, on(5, vote(7, 1000))));
  EXPECT_EQ(day_of_object(5), 23);
  EXPECT_EQ(day_of_object(1), 20);
  expect_verified();
  cast(at(kNoon + 28h, on(2, withdrawal(7))));
  cast(at(kNoon + 28h, on(1, vote(7, 0))));
  EXPECT_EQ(day_of_object(1), 23);
  expect_verified();
}

TEST_F(Zones, AChangeOfMindBeforeMidnightIsNone) {
  follow("Asia/Tokyo");
  EXPECT_TRUE(follow("America/New_York", kNoon + 1h));
  EXPECT_EQ(stored().last_since(), kNoon + 17h);
  EXPECT_EQ(stored().last().name(), "America/New_York");
  EXPECT_TRUE(follow("Europe/Berlin", kNoon + 2h));
  EXPECT_EQ(stored().last().name(), "Europe/Berlin");
  EXPECT_EQ(stored().day_of(kNoon + 35h), base::Day(std::chrono::year(2026) / 11 / 23));
  EXPECT_FALSE(follow("Europe/Berlin", kNoon + 48h));
}

// The clock of another host may be ahead of this host's clock.
TEST_F(Zones, ANewZoneBeginsAfterAllVotes) {
  cast(at(kNoon + 11h + 5s, vote(7, 1000)));  // already tomorrow
  follow("Asia/Tokyo", kNoon + 11h - 5s);
  EXPECT_EQ(stored().last_since(), kNoon + 35h);
  expect_verified();
}

TEST_F(Zones, NoneIsAddedWhileVersion03Runs) {
  db::Connection owner(database_.owner());
  owner.execute(
      "INSERT INTO wp_ratingd_writers (writer, sequence, seen_on)"
      " VALUES (99, 1, UTC_DATE() - INTERVAL 1 DAY)");
  EXPECT_FALSE(follow("Asia/Tokyo"));
  owner.execute(
      "UPDATE wp_ratingd_writers SET seen_on = UTC_DATE() - INTERVAL 2 DAY"
      " WHERE writer = 99");
  EXPECT_TRUE(follow("Asia/Tokyo"));
}

TEST_F(Zones, OfVersion03AloneCountOnceItHasRebuilt) {
  follow("Asia/Tokyo");
  follow("Asia/Tokyo", kNoon + 11h);
  cast(vote(7, 1000));
  db::Connection(database_.owner())
      .execute(
          "UPDATE wp_ratingd_rollup_state SET rebuilds = rebuilds + 1, zone = 'Asia/Kolkata',"
          " zones_version = DEFAULT(zones_version)");
  cast(at(kNoon + 27h, on(2, vote(7, 1000))));
  EXPECT_EQ(day_of_object(2), 22);  // the 23rd in Tokyo
  EXPECT_EQ(stored().last().name(), "Asia/Kolkata");
  EXPECT_EQ(stored().last_since(), base::Time::min());
  follow("Asia/Tokyo", kNoon + 48h);
  EXPECT_EQ(stored().at(kNoon).name(), "Asia/Kolkata");
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_zones"), 2);
}

TEST_F(Zones, AreReadByVotesOnlyOnceTheyHaveChanged) {
  db::Connection owner(database_.owner());
  const auto cast_while_locked = [&](const votes::VoteRequest& request) {
    owner.execute("LOCK TABLES wp_ratingd_zones WRITE");
    cast(request);
    owner.execute("UNLOCK TABLES");
  };
  cast(vote(7, 1000));
  cast_while_locked(on(5, vote(7, 1000)));
  follow("Asia/Tokyo");
  cast(on(2, vote(7, 1000)));
  cast_while_locked(at(kNoon + 27h, on(3, vote(7, 1000))));
  EXPECT_EQ(day_of_object(3), 23);  // in Tokyo; in Berlin it is still the 22nd
  follow("America/New_York", kNoon + 48h);
  cast(at(kNoon + 48h, on(4, vote(7, 1000))));
  expect_verified();
}

TEST_F(Zones, ManyChangesLeaveAllSumsExact) {
  const char* names[] = {"Asia/Tokyo", "America/New_York", "+14:00", "-12:00", "Europe/Berlin"};
  std::mt19937 dice(1);
  base::Time now = kNoon;
  db::Connection connection(database_.endpoint());
  const transfer::RatingMerge merge(connection);
  const transfer::Aggregation aggregation(connection);
  transfer::MergeMemory memory;
  for (int round = 0; round < 12; ++round) {
    follow(names[dice() % std::size(names)], now);
    for (int i = 0; i < 12; ++i, now += 1h + 23min) {
      follow(stored().last().name().c_str(), now);
      const auto object = static_cast<std::uint64_t>(dice() % 9 + 1);
      cast(at(now, on(object, vote(dice() % 5 + 1, static_cast<int>(dice() % 2) * 1000))));
      if (i % 5 == 0) cast(at(now, on(dice() % 9 + 1, withdrawal(dice() % 5 + 1))));
      const votes::VoteRequest old =
          at(now - (dice() % 200) * 1h, on(dice() % 9 + 1, vote(9, 1000)));
      const transfer::StoredRating rating{old.key, 1000, old.received_at, old.received_at, {}, ""};
      merge.merge({&rating, 1}, memory);
    }
    if (round % 4 == 0) aggregation.aggregate(now - 100h);
    expect_verified();
  }
  db::Connection ratingctl(database_.ratingctl());
  EXPECT_EQ(rollups::Repair(ratingctl, now).run([](std::int64_t, std::int64_t) {}).rows, 0);
}

// Votes are cast around the midnight at which the time zone changes, and some votes have earlier
// timestamps.
TEST_F(Zones, ChangeWhileVotesArrive) {
  std::atomic<bool> is_over = false;
  std::thread voting([&] {
    for (unsigned i = 0; !is_over; ++i) {
      EXPECT_TRUE(
          writer_.write(at(kNoon + (i % 40) * 1h, on(i % 7 + 1, vote(i % 11 + 1, i % 2 * 1000)))));
    }
  });
  const char* names[] = {"Asia/Tokyo", "America/New_York"};
  for (int i = 0; i < 20; ++i) follow(names[i % 2], kNoon + (40 + 30 * i) * 1h);
  is_over = true;
  voting.join();
  expect_verified();
}

}  // namespace
