// Tests lib/imports/plugin_import.h in situations from public bug reports about the plugins whose
// votes ratingd imports. Each test compares the number and the average of the ratings in the plugin
// with the imported figures.

#include <gtest/gtest.h>

#include "support/plugin_situation.h"

namespace {

class PluginIssues : public support::PluginSituation {};

// lesterchan/wp-postratings#107: saving a post in the editor reset its rating counts to zero.
TEST_F(PluginIssues, FiguresThatTheEditorHasSetToZeroDoNotLoseTheLog) {
  make_tables(imports::wp_postratings::kPlugin);
  postrating(1, 5, "192.0.2.1");
  postrating(1, 2, "192.0.2.2");
  set_meta(1, "ratings_users", "0");
  set_meta(1, "ratings_score", "0");
  const PluginReport report = import_thrice(imports::wp_postratings::kPlugin);
  EXPECT_EQ(shown(1), "2 x 3.50");
  EXPECT_EQ(report.differences.at(0).why, imports::kFewerShown);
}

// lesterchan/wp-postratings#64: the plugin copies votes and figures to each translation of a post.
TEST_F(PluginIssues, TranslationsOfAPostHaveTheirOwnVotes) {
  make_tables(imports::wp_postratings::kPlugin);
  for (const std::int64_t post : {1, 2}) {
    postrating(post, 4, "192.0.2.1");
    set_meta(post, "ratings_users", "1");
    set_meta(post, "ratings_score", "4");
  }
  EXPECT_EQ(import_thrice(imports::wp_postratings::kPlugin).different, 0);
  EXPECT_EQ(shown(1), "1 x 4.00");
  EXPECT_EQ(shown(2), "1 x 4.00");
}

// wearerequired/rest-likes#142: the copy of a duplicated post has the likes of the original post.
TEST_F(PluginIssues, DuplicatedPostHasTheLikesThatThePluginShows) {
  make_tables(imports::rest_likes::kPlugin);
  set_meta(1, "_rest_likes", "12");
  set_meta(2, "_rest_likes", "12");
  import_thrice(imports::rest_likes::kPlugin);
  EXPECT_EQ(shown(1, 1), "12 x 1.00");
  EXPECT_EQ(shown(2, 1), "12 x 1.00");
}

// pryley/site-reviews#50: a review is assigned to each translation of a post.
TEST_F(PluginIssues, ReviewOfSeveralPostsCountsOnceForEach) {
  make_tables(imports::site_reviews::kPlugin);
  owner_.execute(
      "INSERT INTO wp_glsr_ratings (ID, review_id, rating, is_approved, ip_address)"
      " VALUES (1, 101, 5, 1, '192.0.2.1')");
  owner_.execute("INSERT INTO wp_glsr_assigned_posts VALUES (1, 1, 1), (1, 2, 1)");
  EXPECT_EQ(import_thrice(imports::site_reviews::kPlugin).different, 0);
  EXPECT_EQ(shown(1), "1 x 5.00");
  EXPECT_EQ(shown(2), "1 x 5.00");
}

// lesterchan/wp-postratings#120: the votes on old posts are missing from the log, and the log
// cannot be restored.
TEST_F(PluginIssues, VotesThatTheLogLacksAreSums) {
  make_tables(imports::wp_postratings::kPlugin);
  set_meta(1, "ratings_users", "250");
  set_meta(1, "ratings_score", "1100");
  postrating(2, 3, "192.0.2.1");
  set_meta(2, "ratings_users", "1");
  set_meta(2, "ratings_score", "3");
  EXPECT_EQ(import_thrice(imports::wp_postratings::kPlugin).different, 0);
  EXPECT_EQ(shown(1), "250 x 4.40");
  EXPECT_EQ(shown(2), "1 x 3.00");
}

// lesterchan/wp-postratings#9: visitors can vote several times by reloading the page.
TEST_F(PluginIssues, RepeatedVotesOfAVisitorAllCount) {
  make_tables(imports::wp_postratings::kPlugin);
  for (const int second : {0, 1, 2}) {
    postrating(1, 5, "192.0.2.1", std::to_string(1768050000 + second));
  }
  postrating(1, 1, "192.0.2.2");
  set_meta(1, "ratings_users", "4");
  set_meta(1, "ratings_score", "16");
  EXPECT_EQ(import_thrice(imports::wp_postratings::kPlugin).different, 0);
  EXPECT_EQ(shown(1), "4 x 4.00");
  EXPECT_EQ(rating_count(), 2);
}

// surveywp/kk-star-ratings#111: version 5.0.0 shows no votes, because it reads different metadata
// keys.
TEST_F(PluginIssues, VotesBeforeAnUpgradeOfKkStarRatingsCount) {
  make_tables(imports::kk_star_ratings::kPlugin);
  set_option("kksr_ver", "5.0.0");
  set_meta(1, "_kksr_casts", "8");
  set_meta(1, "_kksr_ratings", "36");
  set_meta(2, "_kksr_casts", "8");
  set_meta(2, "_kksr_ratings", "36");
  set_meta(2, "_kksr_count_default", "9");
  set_meta(2, "_kksr_ratings_default", "40");
  import_thrice(imports::kk_star_ratings::kPlugin);
  EXPECT_EQ(shown(1), "8 x 4.50");
  EXPECT_EQ(shown(2), "9 x 4.44");
}

// surveywp/kk-star-ratings#138: the stored average does not change when visitors vote.
TEST_F(PluginIssues, StaleAverageOfKkStarRatingsDoesNotCount) {
  make_tables(imports::kk_star_ratings::kPlugin);
  set_option("kksr_ver", "5.4.5");
  set_meta(1, "_kksr_count_default", "10");
  set_meta(1, "_kksr_ratings_default", "35");
  set_meta(1, "_kksr_avg_default", "4.9");
  EXPECT_EQ(import_thrice(imports::kk_star_ratings::kPlugin).different, 0);
  EXPECT_EQ(shown(1), "10 x 3.50");
}

// Alimir/wp-ulike#35: one person likes a post, and the counter shows two likes.
TEST_F(PluginIssues, CounterOfWpUlikeMayBeHigherThanItsLog) {
  make_tables(imports::wp_ulike::kPlugin);
  set_option("wp_ulike_dbVersion", "2.3");
  ulike("7");
  owner_.execute(
      "INSERT INTO wp_ulike_meta (item_id, meta_group, meta_key, meta_value) VALUES"
      " (1, 'post', 'count_distinct_like', '2'), (1, 'post', 'count_total_like', '2')");
  EXPECT_EQ(import_thrice(imports::wp_ulike::kPlugin).different, 0);
  EXPECT_EQ(shown(1, 1), "2 x 1.00");
}

// Alimir/wp-ulike#74: the number of likes depends on the logging method.
TEST_F(PluginIssues, CounterOfWpUlikeIsThatOfTheLoggingMethod) {
  make_tables(imports::wp_ulike::kPlugin);
  set_option("wp_ulike_dbVersion", "2.3");
  for (int i = 0; i < 3; ++i) ulike("3221225985");
  owner_.execute(
      "INSERT INTO wp_ulike_meta (item_id, meta_group, meta_key, meta_value) VALUES"
      " (1, 'post', 'count_distinct_like', '1'), (1, 'post', 'count_total_like', '3')");
  EXPECT_EQ(import(imports::wp_ulike::kPlugin, true).different, 0);
  EXPECT_EQ(import(imports::wp_ulike::kPlugin, true).votes_in_sums, 0);
  set_option("wp_ulike_settings",
             "a:1:{s:11:\"posts_group\";a:1:{s:14:\"logging_method\";s:9:\"by_cookie\";}}");
  EXPECT_EQ(import_thrice(imports::wp_ulike::kPlugin).different, 0);
  EXPECT_EQ(shown(1, 1), "3 x 1.00");
}

}  // namespace
