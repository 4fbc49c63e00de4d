// Tests that the {prefix}ratingd_post_stats view in sql/migrations contains the same figures as the
// API's responses. Also tests which accounts may read the {prefix}ratingd_post_stats and
// {prefix}ratingd_post_daily views.

#include <array>
#include <random>

#include "model/rating.h"
#include "support/server.h"
#include "support/voting.h"

namespace {

using model::Category;
using support::vote;

constexpr std::array kViews = {"wp_ratingd_post_stats", "wp_ratingd_post_daily"};

class PostStats : public support::Voting {
 protected:
  void put(std::uint64_t id, Category category, const model::Totals& totals) {
    std::string bins;
    for (const std::int64_t bin : totals.bins) bins += ", " + std::to_string(bin);
    owner_.execute("INSERT INTO wp_ratingd_totals VALUES (" + std::to_string(id) + ", 'post', " +
                   std::to_string(static_cast<int>(category)) + ", " + std::to_string(totals.sum) +
                   bins + ", '2026-11-21 12:00:00', 1)");
  }

  std::int64_t read(const std::string& query) { return owner_.query(query).number(); }

  db::Connection owner_{database_.owner()};
};

TEST_F(PostStats, ARowSaysWhatTheApiSays) {
  for (const auto category : {Category::binary, Category::bipolar, Category::scale}) {
    ASSERT_TRUE(writer_.write(vote(1, 1000, category)));
    ASSERT_TRUE(writer_.write(vote(2, 0, category)));
    ASSERT_TRUE(writer_.write(vote(3, category == Category::bipolar ? -1000 : 0, category)));
  }
  std::string text;
  db::Rows row = owner_.query(
      "SELECT CONCAT_WS(' ', post_id, object_type, category, total, COALESCE(positive, '-'),"
      " COALESCE(negative, '-'), COALESCE(score, '-'), average, last_rated_at)"
      " FROM wp_ratingd_post_stats ORDER BY category");
  while (row.next()) text += row.text(1) + "\n";
  EXPECT_EQ(text,
            "42 post binary 3 1 2 -1 0.3333 2026-11-21 12:00:00.000000\n"
            "42 post bipolar 3 1 1 0 0.0000 2026-11-21 12:00:00.000000\n"
            "42 post scale 3 - - - 0.3333 2026-11-21 12:00:00.000000\n");
}

TEST_F(PostStats, AverageIsRoundedAsTheApiDoes) {
  std::mt19937_64 dice(1);
  for (std::uint64_t id = 1; id <= 300; ++id) {
    model::Totals totals;
    totals.bins[0] = static_cast<std::int64_t>(1 + dice() % (id * id * 1000));
    const auto range = static_cast<std::uint64_t>(2000 * totals.bins[0] + 1);
    totals.sum = static_cast<std::int64_t>(dice() % range) - 1000 * totals.bins[0];
    if (id % 3 == 0) totals = {static_cast<std::int64_t>(id) - 150, {20'000}, {}};  // many halves
    put(id, Category::bipolar, totals);
    const std::int64_t average = model::average(totals).value();
    EXPECT_EQ(read("SELECT average * 10000 FROM wp_ratingd_post_stats WHERE post_id = " +
                   std::to_string(id)),
              average)
        << totals.sum << " of " << totals.total();
  }
}

TEST_F(PostStats, WhatHasNoRatingsLeftIsNotThere) {
  put(1, Category::binary, {});
  EXPECT_EQ(read("SELECT COUNT(*) FROM wp_ratingd_post_stats"), 0);
}

TEST_F(PostStats, TheCmsReadsThemWithItsRightToTheWholeDatabase) {
  ASSERT_TRUE(writer_.write(vote(1, 1000)));
  const std::string user = "cms_" + database_.names().database.substr(13) + "@localhost";
  owner_.execute("CREATE USER " + user);
  owner_.execute("GRANT ALL ON " + database_.names().database + ".* TO " + user);
  db::Endpoint endpoint = database_.endpoint();
  endpoint.user = user.substr(0, user.find('@'));
  db::Connection cms(endpoint);
  for (const std::string view : kViews) {
    EXPECT_TRUE(cms.query("SELECT * FROM " + view).next()) << view;
  }
  owner_.execute("DROP USER " + user);
}

TEST_F(PostStats, WithoutARightToTheRatingsNobodyReadsThem) {
  db::Connection workers(database_.endpoint());
  for (const std::string view : kViews) {
    EXPECT_THROW(workers.query("SELECT * FROM " + view), db::Failure) << view;
  }
}

// WordPress sends SET NAMES with the charset and the collation of the site (set_charset() in
// wp-db.php).
TEST_F(PostStats, TheyGoWithTheCollationOfAnyWordPress) {
  ASSERT_TRUE(writer_.write(vote(1, 1000)));
  for (const char* names :
       {"utf8mb4 COLLATE utf8mb4_unicode_520_ci", "utf8mb4 COLLATE utf8mb4_general_ci",
        "utf8mb4 COLLATE utf8mb4_unicode_ci", "utf8mb4 COLLATE utf8mb4_bin", "latin1"}) {
    owner_.execute(std::string("SET NAMES ") + names);
    for (const std::string view : kViews) {
      EXPECT_EQ(read("SELECT post_id FROM " + view +
                     " WHERE object_type = 'post' AND category = 'binary'"),
                42)
          << view << names;
    }
  }
}

TEST_F(PostStats, IsOneLookupForAPost) {
  db::Rows row = owner_.query(
      "EXPLAIN FORMAT=TRADITIONAL SELECT average FROM wp_ratingd_post_stats WHERE post_id = 7"
      " AND object_type = 'post' AND category = 'binary'");
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.text(support::is_mariadb(owner_) ? 6 : 7), "PRIMARY");
}

}  // namespace
