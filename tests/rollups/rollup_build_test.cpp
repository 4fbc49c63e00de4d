#include "rollups/rollup_build.h"

#include <map>

#include "support/voting.h"
#include "votes/demo_votes.h"

namespace {

class RollupBuild : public support::Voting {
 protected:
  // All rows of the rollups: slots are summed, versions and rows of zeros are left out.
  std::map<std::string, std::int64_t> rollups() {
    db::Connection connection(database_.endpoint());
    std::map<std::string, std::int64_t> rows;
    for (const char* query : {
             "SELECT CONCAT('daily ', category, day, object_type, object_id), total * 1000000 + "
             "positive * 1000 + negative + sum * 7 FROM wp_ratingd_daily WHERE total > 0",
             "SELECT CONCAT('site ', category, day, object_type), SUM(sum * 7 + bin0 + bin3 * 10 + "
             "bin5 * 100 + bin10 * 1000) FROM wp_ratingd_site_daily GROUP BY category, day, "
             "object_type HAVING SUM(bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 "
             "+ bin9 + bin10) > 0",
             "SELECT CONCAT('user ', category, day, object_type, user_id), total * 1000000 + sum "
             "FROM wp_ratingd_user_daily WHERE total > 0",
             "SELECT CONCAT('first ', user_id, first_rated_at, last_rated_at), total FROM "
             "wp_ratingd_users",
             "SELECT CONCAT('voter ', voter, last_day), 1 FROM wp_ratingd_voters",
             "SELECT CONCAT('reach ', day, previous_day), SUM(voters) FROM wp_ratingd_reach "
             "GROUP BY day, previous_day",
         }) {
      for (db::Rows row = connection.query(query); row.next();) rows[row.text(1)] = row.integer(2);
    }
    return rows;
  }
  void build() {
    db::Connection connection(database_.endpoint());
    for (const char* table :
         {"totals", "daily", "site_daily", "users", "user_daily", "voters", "reach"}) {
      connection.execute(std::string("DELETE FROM wp_ratingd_") + table);
    }
    rollups::build_rollups(connection, support::kPrefix, base::Zone::named("Europe/Berlin").value(),
                           [](std::string_view) {});
  }
};

// Around midnight, at the end of daylight saving time.
TEST_F(RollupBuild, MakesWhatTheWriterMakes) {
  const base::Time start = base::Day(std::chrono::year(2026) / 10 / 20);
  for (int i = 0; i < 600; ++i) {
    votes::VoteRequest vote_request = support::vote(static_cast<model::VoterId>(i % 11 + 1), 0,
                                                    static_cast<model::Category>(i % 3));
    if (i % 4 == 0) vote_request.key.voter |= model::kAnonymousBit;
    vote_request.key.object = {static_cast<std::uint64_t>(i + 1), i % 5 == 0 ? "page" : "post"};
    const model::Thousandths values[] = {i % 2 * 1000, i / 3 % 3 * 1000 - 1000, i * 7 % 1001};
    vote_request.value = values[i % 3];
    vote_request.received_at = start + i * std::chrono::minutes(29);
    ASSERT_TRUE(writer_.write(vote_request));
  }
  const auto written = rollups();
  EXPECT_GT(written.size(), 600U);
  build();
  EXPECT_EQ(rollups(), written);
  expect_verified();
}

TEST_F(RollupBuild, SumsOfDemoVotesAreVerified) {
  db::Connection connection(database_.endpoint());
  votes::DemoSite site;
  site.votes = 20'000;
  site.objects = 500;
  site.until = support::kNoon;
  std::int64_t stored = 0;
  votes::store_demo_votes(connection, support::kPrefix, site,
                          [&](std::int64_t done) { stored = done; });
  EXPECT_EQ(stored, 20'000);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 20'000);
  EXPECT_EQ(number("SELECT COUNT(DISTINCT object_id) FROM wp_ratingd_votes"), 500);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes WHERE rated_at > '2026-11-21 12:00:00'"),
            0);
  build();
  expect_verified();
}

}  // namespace
