// Compares the {prefix}ratingd_post_daily view in sql/migrations with the stored votes that the
// view counts.

#include <algorithm>
#include <random>

#include "support/server.h"
#include "support/voting.h"

namespace {

using model::Category;
using support::vote;

class PostDaily : public support::Voting {
 protected:
  // Returns the columns as text, with one line for each row.
  std::string text(const std::string& columns, const std::string& rest) {
    std::string lines;
    db::Rows row = owner_.query("SELECT CONCAT_WS(' ', " + columns + ") FROM wp_ratingd_" + rest);
    while (row.next()) lines += row.text(1) + "\n";
    return lines;
  }
  std::string view() {
    return text(
        "object_type, post_id, category, category_id, day, total, sum, COALESCE(positive, '-'),"
        " COALESCE(negative, '-'), COALESCE(score, '-')",
        "post_daily ORDER BY object_type, post_id, category_id, day");
  }

  db::Connection owner_{database_.owner()};
};

TEST_F(PostDaily, CountsRatingsOnTheDayOfTheirLastChange) {
  for (const auto category : {Category::binary, Category::bipolar, Category::scale}) {
    ASSERT_TRUE(writer_.write(vote(1, 1000, category)));
    ASSERT_TRUE(writer_.write(vote(2, 0, category)));
    ASSERT_TRUE(writer_.write(vote(3, category == Category::bipolar ? -1000 : 1000, category)));
    const auto later = support::kNoon + std::chrono::days(2);
    ASSERT_TRUE(writer_.write(support::at(later, vote(1, 0, category))));
  }
  EXPECT_EQ(view(),
            "post 42 binary 0 2026-11-21 2 1000 1 1 0\n"
            "post 42 binary 0 2026-11-23 1 0 0 1 -1\n"
            "post 42 bipolar 1 2026-11-21 2 -1000 0 1 -1\n"
            "post 42 bipolar 1 2026-11-23 1 0 0 0 0\n"
            "post 42 scale 2 2026-11-21 2 1000 - - -\n"
            "post 42 scale 2 2026-11-23 1 0 - - -\n");
}

TEST_F(PostDaily, EqualsTheVotesOfEachDay) {
  std::mt19937_64 dice(1);
  for (int i = 0; i < 400; ++i) {
    const auto category = static_cast<Category>(dice() % 3);
    const auto voter = static_cast<model::VoterId>(1 + dice() % 20);
    auto thousandths = static_cast<model::Thousandths>(dice() % 1001);
    if (category == Category::binary) thousandths = thousandths / 501 * 1000;
    if (category == Category::bipolar) thousandths = (thousandths / 334 - 1) * 1000;
    const auto sent =
        dice() % 8 == 0 ? support::withdrawal(voter, category) : vote(voter, thousandths, category);
    const auto time = support::kNoon + std::chrono::hours(i);
    ASSERT_TRUE(writer_.write(support::at(time, support::on(1 + dice() % 5, sent))));
  }
  const std::string day = "DATE(rated_at + INTERVAL 1 HOUR)";  // in Berlin, in winter
  const std::string negative = "SUM(value < 0 OR category = 0 AND value = 0)";
  const std::string votes = text(
      "object_type, object_id, ELT(category + 1, 'binary', 'bipolar', 'scale'), category, " + day +
          ", COUNT(*), SUM(value), IF(category = 2, '-', SUM(value > 0)), IF(category = 2, '-', " +
          negative + "), IF(category = 2, '-', SUM(value > 0) - " + negative + ")",
      "votes GROUP BY object_type, object_id, category, " + day +
          " ORDER BY object_type, object_id, category, " + day);
  EXPECT_GT(std::ranges::count(votes, '\n'), 50);
  EXPECT_EQ(view(), votes);
  // The daily figures must add up to the totals in the {prefix}ratingd_post_stats view.
  EXPECT_EQ(text("post_id, category, SUM(total), COALESCE(SUM(positive), '-'),"
                 " COALESCE(SUM(score), '-'), ROUND(SUM(sum) / 1000 / SUM(total), 4)",
                 "post_daily GROUP BY post_id, category ORDER BY post_id, category"),
            text("post_id, category, total, COALESCE(positive, '-'), COALESCE(score, '-'), average",
                 "post_stats ORDER BY post_id, category"));
}

TEST_F(PostDaily, ADayWithoutRatingsLeftHasNoRow) {
  ASSERT_TRUE(writer_.write(vote(1, 1000)));
  EXPECT_NE(view(), "");
  ASSERT_TRUE(writer_.write(support::withdrawal(1)));
  EXPECT_EQ(view(), "");
}

TEST_F(PostDaily, AListOfAPeriodReadsOneRangeOfTheIndex) {
  std::string rows;
  for (int i = 0; i < 5000; ++i) {
    rows += (i == 0 ? "(" : ", (") + std::to_string(i / 100) + ", 'post', " +
            std::to_string(i % 2 * 2) + ", '2026-01-01' + INTERVAL " + std::to_string(i % 100) +
            " DAY, 1, 500, 1, 0)";
  }
  owner_.execute("INSERT INTO wp_ratingd_daily VALUES " + rows);
  static_cast<void>(owner_.query("ANALYZE TABLE wp_ratingd_daily").next());
  db::Rows row = owner_.query(
      "EXPLAIN FORMAT=TRADITIONAL SELECT post_id, SUM(sum) / SUM(total) FROM wp_ratingd_post_daily"
      " WHERE category_id = 2 AND day >= '2026-03-11' AND object_type = 'post' GROUP BY post_id");
  ASSERT_TRUE(row.next());
  const unsigned type = support::is_mariadb(owner_) ? 4 : 5;
  EXPECT_EQ(row.text(type), "range");
  EXPECT_EQ(row.text(type + 2), "PRIMARY");
  EXPECT_FALSE(row.next());  // the view is part of the statement, and not a separate table
}

}  // namespace
