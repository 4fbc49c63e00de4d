#include "handlers/trend.h"

#include <gtest/gtest.h>

#include "analytics/calendar.h"
#include "analytics/rating_filter.h"
#include "analytics/rating_lists.h"
#include "api/table.h"

namespace {

using namespace std::chrono_literals;
using analytics::DayRange;
using analytics::Period;
using handlers::Interval;

// A Wednesday.
constexpr base::Day kToday = 2026y / 11 / 18;

DayRange days(Period::Name name, std::chrono::weekday week_start = std::chrono::Monday) {
  analytics::Calendar calendar;
  calendar.week_start = week_start;
  return analytics::days_of(name, calendar, kToday, base::Day(2025y / 2 / 3));
}

TEST(Period, EndsTodayAndHasTodayInIt) {
  EXPECT_EQ(days(Period::Name::today), (DayRange{kToday, kToday}));
  EXPECT_EQ(days(Period::Name::days_7), (DayRange{2026y / 11 / 12, kToday}));
  EXPECT_EQ(days(Period::Name::days_30), (DayRange{2026y / 10 / 20, kToday}));
  EXPECT_EQ(days(Period::Name::this_month), (DayRange{2026y / 11 / 1, kToday}));
  EXPECT_EQ(days(Period::Name::this_year), (DayRange{2026y / 1 / 1, kToday}));
  EXPECT_EQ(days(Period::Name::all), (DayRange{2025y / 2 / 3, kToday}));
}

TEST(Period, WeekStartsAsTheSiteSays) {
  EXPECT_EQ(days(Period::Name::this_week).first, base::Day(2026y / 11 / 16));
  EXPECT_EQ(days(Period::Name::this_week, std::chrono::Sunday).first, base::Day(2026y / 11 / 15));
  EXPECT_EQ(days(Period::Name::this_week, std::chrono::Wednesday).first, kToday);
  EXPECT_EQ(days(Period::Name::this_week, std::chrono::Thursday).first, base::Day(2026y / 11 / 12));
}

TEST(Period, BeforeIsAsLong) {
  EXPECT_EQ(handlers::days_before({2026y / 3 / 1, 2026y / 3 / 31}),
            (DayRange{2026y / 1 / 29, 2026y / 2 / 28}));
  EXPECT_EQ(handlers::days_before({1000y / 1 / 5, 2026y / 1 / 1}), std::nullopt);
}

TEST(Period, MomentsAreThoseOfTheZone) {
  const base::Zone berlin = base::Zone::named("Europe/Berlin").value();
  const auto span =
      handlers::moments_of({2026y / 10 / 25, 2026y / 10 / 25}, berlin);  // of 25 hours
  EXPECT_EQ(span.begin, base::Day(2026y / 10 / 24) + 22h);
  EXPECT_EQ(span.end, base::Day(2026y / 10 / 25) + 23h);
}

TEST(Interval, NextMonthFollowsTheLongAndTheShort) {
  EXPECT_EQ(handlers::next_after(Interval::month, 2026y / 1 / 1), base::Day(2026y / 2 / 1));
  EXPECT_EQ(handlers::next_after(Interval::month, 2026y / 12 / 1), base::Day(2027y / 1 / 1));
}

TEST(Interval, AutomaticOneMakesAReadableChart) {
  const auto of = [](std::int64_t length) {
    const base::Day last(2026y / 11 / 18);
    return handlers::resolved(Interval::automatic, {last - std::chrono::days(length - 1), last});
  };
  EXPECT_EQ(of(1), Interval::day);
  EXPECT_EQ(of(120), Interval::day);
  EXPECT_EQ(of(121), Interval::week);
  EXPECT_EQ(of(800), Interval::week);
  EXPECT_EQ(of(801), Interval::month);
  EXPECT_EQ(handlers::resolved(Interval::week, {kToday, kToday}), Interval::week);
}

TEST(Cursor, IsReadAsItWasWritten) {
  const analytics::Cursor cursor{
      base::Day(2026y / 11 / 18) + 5h + 1us, {7, "a.b:c"}, model::Category::scale, 3};
  const auto read = api::read_cursor(api::write_cursor(cursor));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rated_at, cursor.rated_at);
  EXPECT_EQ(read->object, cursor.object);
  EXPECT_EQ(read->category, cursor.category);
  EXPECT_EQ(read->listed_at_this_time, 3);
}

TEST(Cursor, NothingElseIsRead) {
  for (const char* text : {"", "1", "1.2.0.0", "1.2.0.0.", "1.2.3.0.post", "1.2.0.-1.post",
                           "99999999999999999999.2.0.0.post", "x.2.0.0.post", "1..0.0.post",
                           "9223372036854775807.2.0.0.post", "1.2.0.0.po st"}) {
    EXPECT_FALSE(api::read_cursor(text)) << text;
  }
}

}  // namespace
