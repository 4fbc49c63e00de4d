#include "analytics/rating_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "analytics/rating_filter.h"
#include "support/voting.h"

namespace {

using analytics::ById;
using support::kNoon;
using support::vote;

TEST(ById, HasWhatAMapHas) {
  std::mt19937_64 engine(3);  // NOLINT: the same each time
  std::map<std::uint64_t, std::int64_t> expected;
  ById<std::int64_t> values;
  EXPECT_EQ(values.find(1), nullptr);
  for (int i = 0; i < 20000; ++i) {
    // The ids are small numbers, multiples of a power of two, and random numbers.
    const std::uint64_t number = engine() % 3000;
    const std::uint64_t id = i % 3 == 0 ? number : i % 3 == 1 ? number << 40U : engine();
    expected[id] += i;
    values[id] += i;
  }
  EXPECT_EQ(values.size(), expected.size());
  for (const auto& [id, value] : values) EXPECT_EQ(value, expected.at(id));
  for (const auto& [id, value] : expected) {
    ASSERT_NE(values.find(id), nullptr);
    EXPECT_EQ(*values.find(id), value);
  }
  EXPECT_EQ(values.find(3001), nullptr);
}

TEST(ById, EntriesAreInTheOrderInWhichTheyCame) {
  ById<int> values;
  for (const std::uint64_t id : {5U, 3U, 9U, 3U, 0U}) ++values[id];
  const std::vector<ById<int>::Entry> expected = {{5, 1}, {3, 2}, {9, 1}, {0, 1}};
  EXPECT_TRUE(std::ranges::equal(values, expected));
}

const base::Day kToday = std::chrono::floor<std::chrono::days>(kNoon);

class SiteAnalytics : public support::Voting {
 protected:
  std::optional<base::Day> first_day() {
    db::Connection connection(database_.endpoint());
    return analytics::first_day(connection);
  }
};

TEST_F(SiteAnalytics, FirstDayIsTheFirstWithARating) {
  EXPECT_FALSE(first_day());
  ASSERT_TRUE(writer_.write(support::at(kNoon - std::chrono::days(3), vote(1, 1000))));
  ASSERT_TRUE(writer_.write(vote(2, 1000)));
  EXPECT_EQ(first_day(), kToday - std::chrono::days(3));
}

TEST_F(SiteAnalytics, DayWhoseRatingAnotherWriterHasMovedIsNotTheFirst) {
  ASSERT_TRUE(writer_.write(support::at(kNoon - std::chrono::days(3), vote(1, 1000))));
  db::Connection connection(database_.endpoint());
  connection.execute("UPDATE wp_ratingd_site_daily SET slot = slot + 1");
  ASSERT_TRUE(writer_.write(vote(1, 0)));
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_site_daily WHERE day = '2026-11-18'"), 2);
  EXPECT_EQ(first_day(), kToday);
}

// The report reads one row for each object and day, with a separate statement for each month, so
// that no statement exceeds its time limit.
TEST_F(SiteAnalytics, DaysOfObjectsAreReadInSlices) {
  const base::Day first = kToday - std::chrono::days(100);
  ASSERT_TRUE(writer_.write(support::at(kNoon - std::chrono::days(100), vote(1, 1000))));
  ASSERT_TRUE(writer_.write(support::at(kNoon - std::chrono::days(50), vote(2, 0))));
  ASSERT_TRUE(writer_.write(vote(3, 1000)));
  ASSERT_TRUE(writer_.write(support::on(43, vote(4, 1000))));
  db::Connection connection(database_.endpoint());
  const auto statements_run = [&] {
    db::Rows row = connection.query("SHOW SESSION STATUS LIKE 'Com_stmt_execute'");
    return row.next() ? std::stoi(row.text(2)) : 0;
  };
  analytics::RatingFilter filter;
  filter.days = {first, kToday};
  filter.object_type = "book";
  filter.ids = std::to_string(support::kPost.id);
  const int before = statements_run();
  const auto rated = analytics::site_days(connection, filter);
  EXPECT_EQ(statements_run() - before, 4);
  ASSERT_EQ(rated.size(), 3U);
  EXPECT_EQ(rated[0].day, first);
  EXPECT_EQ(rated[1].day, kToday - std::chrono::days(50));
  EXPECT_EQ(rated[2].day, kToday);
  EXPECT_EQ(rated[2].totals.total(), 1) << "the other object is of another type";
}

}  // namespace
