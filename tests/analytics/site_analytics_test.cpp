#include "analytics/site_analytics.h"

#include <string>

#include "analytics/rating_filter.h"
#include "support/voting.h"

namespace {

using support::kNoon;
using support::vote;

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

// A row for each object and day is read in this case. One statement has enough time for a month of
// rows.
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
