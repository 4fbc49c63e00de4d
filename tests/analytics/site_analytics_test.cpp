#include "analytics/site_analytics.h"

#include "support/voting.h"

namespace {

using support::kNoon;
using support::vote;

const base::Day kToday = std::chrono::floor<std::chrono::days>(kNoon);

class SiteAnalytics : public support::Voting {
 protected:
  std::optional<base::Day> first_day() {
    db::Connection connection(database_.endpoint());
    return analytics::SiteAnalytics(support::kPrefix).first_day(connection);
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

}  // namespace
