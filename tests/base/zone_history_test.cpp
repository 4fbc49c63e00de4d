#include "base/zone_history.h"

#include <gtest/gtest.h>

#include <random>

namespace {

using base::Day;
using base::Time;
using base::ZoneHistory;
using namespace std::chrono_literals;

base::Zone zone(const char* name) { return base::Zone::named(name).value(); }
Day day(int number) { return Day(std::chrono::year(2026) / 1 / number); }

// Changes the zone at "now" in the same way as the rollups.
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

// At 19:00 in Tokyo, it is 5:00 in New York. The later of the two midnights is the one in New York.
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

// The zones are 26 hours apart, so the new zone is on the day before for two hours.
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

// At 0:01 on November 7, the clocks went back to 23:01 on November 6.
TEST(ZoneHistory, ClocksThatGoBackOverMidnightDoNotChangeTheDay) {
  const base::Zone st_johns = zone("America/St_Johns");
  const Time back = Day(std::chrono::year(2010) / 11 / 7) + 2h + 31min;
  EXPECT_EQ(st_johns.day_of(back - 2min), Day(std::chrono::year(2010) / 11 / 6));
  EXPECT_EQ(st_johns.day_of(back - 1s), Day(std::chrono::year(2010) / 11 / 7));
  EXPECT_EQ(st_johns.day_of(back + 10min), Day(std::chrono::year(2010) / 11 / 7));
}

}  // namespace
