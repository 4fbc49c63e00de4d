#include "base/zone.h"

#include <gtest/gtest.h>

#include <random>

namespace base {
namespace {

using namespace std::chrono_literals;
using std::chrono::year;

Zone zone(std::string_view name) {
  const auto found = Zone::named(name);
  EXPECT_TRUE(found.has_value()) << name;
  return found.value_or(Zone());
}

TEST(Zone, IsUtcByDefault) {
  const Day day = year(2026) / 1 / 1;
  EXPECT_EQ(Zone().day_of(day), day);
  EXPECT_EQ(Zone().day_of(day - 1us), day - std::chrono::days(1));
  EXPECT_EQ(Zone().name(), "+00:00");
}

TEST(Zone, FixedOffsetsMoveMidnight) {
  const Day day = year(2026) / 7 / 1;
  EXPECT_EQ(zone("+05:30").day_of(day + 18h + 29min), day);
  EXPECT_EQ(zone("+05:30").day_of(day + 18h + 30min), day + std::chrono::days(1));
  EXPECT_EQ(zone("-03:00").day_of(day + 3h - 1us), day - std::chrono::days(1));
  EXPECT_EQ(zone("-03:00").day_of(day + 3h), day);
}

TEST(Zone, NamedZonesFollowSummerTime) {
  const Zone berlin = zone("Europe/Berlin");
  EXPECT_EQ(berlin.name(), "Europe/Berlin");
  const Day winter = year(2026) / 1 / 15;
  EXPECT_EQ(berlin.day_of(winter + 23h - 1us), winter);
  EXPECT_EQ(berlin.day_of(winter + 23h), winter + std::chrono::days(1));
  const Day summer = year(2026) / 7 / 15;
  EXPECT_EQ(berlin.day_of(summer + 22h - 1us), summer);
  EXPECT_EQ(berlin.day_of(summer + 22h), summer + std::chrono::days(1));
}

TEST(Zone, DayStartsAtMidnight) {
  const Day day = year(2026) / 11 / 21;
  EXPECT_EQ(zone("+05:30").start_of(day), Time(day) - 5h - 30min);
  EXPECT_EQ(zone("Europe/Berlin").start_of(day), Time(day) - 1h);
}

// When daylight saving time begins in Havana, the clocks go forward from 0:00 to 1:00.
TEST(Zone, DayWithoutMidnightStartsAfterTheGap) {
  const Zone havana = zone("America/Havana");
  const Day day = year(2026) / 3 / 8;
  const Time start = havana.start_of(day);
  EXPECT_EQ(havana.day_of(start), day);
  EXPECT_EQ(havana.day_of(start - 1us), day - std::chrono::days(1));
}

TEST(Zone, StretchesEndWhereClocksChange) {
  const Zone::Stretch summer = zone("Europe/Berlin").stretch_at(Day(year(2026) / 7 / 15));
  EXPECT_EQ(summer.offset, 2h);
  EXPECT_EQ(summer.end, Day(year(2026) / 10 / 25) + 1h);
  EXPECT_EQ(zone("-03:00").stretch_at(Time()).offset, -3h);
  EXPECT_GT(zone("Asia/Tokyo").stretch_at(Day(year(2026) / 1 / 1)).end, Day(year(9999) / 12 / 31));
}

TEST(Zone, UnknownNamesHaveNone) {
  for (const auto* name :
       {"", "Mars/Olympus", "../UTC", "+5:30", "+05:60", "+16:00", "05:30", "+05:3x", "UTC+2"}) {
    EXPECT_EQ(Zone::named(name), std::nullopt) << name;
  }
}

TEST(Zone, NamesAreKnownInAnyCase) {
  EXPECT_EQ(zone("europe/BERLIN").name(), "Europe/Berlin");
  EXPECT_EQ(zone("utc").start_of(year(2026) / 7 / 1), Day(year(2026) / 7 / 1));
}

TEST(Zone, DaysBeginAtLocalMidnight) {
  const Day day = year(2026) / 7 / 1;
  EXPECT_EQ(Zone().start_of(day), day);
  EXPECT_EQ(zone("+05:30").start_of(day), day - 5h - 30min);
  EXPECT_EQ(zone("Europe/Berlin").start_of(day), day - 2h);
  EXPECT_EQ(zone("Europe/Berlin").start_of(year(2026) / 1 / 1), Day(year(2026) / 1 / 1) - 1h);
}

TEST(Zone, DayWithoutAMidnightBeginsWhenTheClocksAreSet) {
  const Zone santiago = zone("America/Santiago");
  const Day day = year(2025) / 9 / 7;  // from midnight to one o'clock
  EXPECT_EQ(santiago.start_of(day), day + 4h);
  EXPECT_EQ(santiago.day_of(day + 4h), day);
  EXPECT_EQ(santiago.day_of(day + 4h - 1us), day - std::chrono::days(1));
}

Day day(int number) { return Day(std::chrono::year(2026) / 1 / number); }

// Adds the time zone "next" to the history at the next midnight after "now", as the rollups do.
ZoneHistory changed(ZoneHistory history, Time now, const char* next) {
  history.add(history.next_midnight(now, zone(next)), zone(next));
  return history;
}

TEST(ZoneHistory, OneZoneIsForAllTimes) {
  const ZoneHistory history(zone("Asia/Tokyo"));
  EXPECT_EQ(history.day_of(day(10) + 14h + 59min), day(10));
  EXPECT_EQ(history.day_of(day(10) + 15h), day(11));
  EXPECT_EQ(history.start_of(day(11)), day(10) + 15h);
  EXPECT_EQ(history.last_since(), Time::min());
}

// At 19:00 in Tokyo, the time in New York is 5:00. Each day begins later in New York than in Tokyo.
TEST(ZoneHistory, ToTheWestADayIsLonger) {
  const auto history = changed(zone("Asia/Tokyo"), day(10) + 10h, "America/New_York");
  EXPECT_EQ(history.last_since(), day(11) + 5h);
  EXPECT_EQ(history.start_of(day(11)), day(10) + 15h);
  EXPECT_EQ(history.day_of(day(12) + 4h + 59min), day(11));
  EXPECT_EQ(history.start_of(day(12)), day(12) + 5h);
  EXPECT_EQ(history.start_of(day(13)), day(13) + 5h);
  EXPECT_EQ(history.at(day(11) + 4h).name(), "Asia/Tokyo");
  EXPECT_EQ(history.at(day(11) + 5h).name(), "America/New_York");
}

TEST(ZoneHistory, ToTheEastADayIsShorter) {
  const auto history = changed(zone("America/New_York"), day(10) + 10h, "Asia/Tokyo");
  EXPECT_EQ(history.last_since(), day(11) + 5h);
  EXPECT_EQ(history.start_of(day(10)), day(10) + 5h);
  EXPECT_EQ(history.start_of(day(11)), day(11) + 5h);
  EXPECT_EQ(history.start_of(day(12)), day(11) + 15h);
}

// Because the time zones are 26 hours apart, the new zone's date is two days behind the old zone's
// date for two hours.
TEST(ZoneHistory, DaysNeverGoBack) {
  const auto history = changed(zone("+14:00"), day(10) + 11h, "-12:00");
  EXPECT_EQ(history.last_since(), day(11) + 10h);
  EXPECT_EQ(history.day_of(day(11) + 10h - 1us), day(11));
  EXPECT_EQ(zone("-12:00").day_of(day(11) + 10h), day(10));
  EXPECT_EQ(history.day_of(day(11) + 10h), day(11));
  EXPECT_EQ(history.day_of(day(12) + 12h - 1us), day(11));
  EXPECT_EQ(history.start_of(day(12)), day(12) + 12h);
}

TEST(ZoneHistory, ADayMayBeEmpty) {
  const auto history = changed(zone("-12:00"), day(10) + 11h, "+14:00");
  EXPECT_EQ(history.last_since(), day(11) + 10h);
  EXPECT_EQ(history.day_of(day(11) + 10h - 1us), day(10));
  EXPECT_EQ(history.day_of(day(11) + 10h), day(12));
  EXPECT_EQ(history.start_of(day(11)), history.start_of(day(12)));
}

TEST(ZoneHistory, EachDayIsOneInterval) {
  const char* names[] = {"Asia/Tokyo",    "America/New_York", "+14:00",         "-12:00",
                         "Europe/Berlin", "Asia/Kolkata",     "America/Havana", "America/St_Johns"};
  std::mt19937 dice(1);
  for (int round = 0; round < 200; ++round) {
    ZoneHistory history(zone(names[dice() % std::size(names)]));
    Time now = day(1) - (dice() % 9000) * 24h;
    const Time begin = now;
    for (int i = 0; i < 4; ++i) {
      history = changed(history, now, names[dice() % std::size(names)]);
      now = history.last_since() + (dice() % 72) * 37min;
    }
    Day last = history.day_of(begin);
    for (Time time = begin; time < now + 72h; time += 7min) {
      const Day day_now = history.day_of(time);
      EXPECT_GE(day_now, last);
      EXPECT_LE(history.start_of(day_now), time);
      EXPECT_GT(history.start_of(day_now + std::chrono::days(1)), time);
      last = day_now;
    }
  }
}

// At 0:01 on November 7, 2010, the clocks in Newfoundland went back to 23:01 on November 6.
TEST(ZoneHistory, ClocksThatGoBackOverMidnightDoNotChangeTheDay) {
  const base::Zone st_johns = zone("America/St_Johns");
  const Time back = Day(std::chrono::year(2010) / 11 / 7) + 2h + 31min;
  EXPECT_EQ(st_johns.day_of(back - 2min), Day(std::chrono::year(2010) / 11 / 6));
  EXPECT_EQ(st_johns.day_of(back - 1s), Day(std::chrono::year(2010) / 11 / 7));
  EXPECT_EQ(st_johns.day_of(back + 10min), Day(std::chrono::year(2010) / 11 / 7));
}

}  // namespace

}  // namespace base
