#include "base/zone.h"

#include <gtest/gtest.h>

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

// In Havana clocks go from 0:00 to 1:00.
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

}  // namespace
}  // namespace base
