// Tests lib/imports/plugin_import.h in situations that are known from other plugins' files or from
// public bug reports about these plugins. Each test compares the number and the average of the
// ratings in the plugin with the imported figures.

#include <gtest/gtest.h>

#include "support/plugin_situation.h"
#include "transfer/retention.h"

namespace {

using support::kNoTime;
using support::kTime;
using support::Lines;

class PluginSituations : public support::PluginSituation {};

// --- Votes without a valid time

TEST_F(PluginSituations, VotesThatYasrTookOverWithoutATimeCount) {
  make_tables(imports::yasr::kPlugin);
  set_option("yasr-version", "3.4.5");
  owner_.execute("SET SESSION sql_mode = ''");
  for (int i = 0; i < 6; ++i) yasr(4.5, kNoTime, "wppostrating");
  const PluginReport report = import_thrice(imports::yasr::kPlugin);
  EXPECT_EQ(shown(1), "6 x 4.50");
  EXPECT_EQ(aggregates(), Lines{"post 1 scale 2025-01-01 yasr 5400: 6 x 9"});
  EXPECT_EQ(report.different, 0);
}

TEST_F(PluginSituations, VotesOfTheFutureCountOnAnUnknownDay) {
  make_tables(imports::yasr::kPlugin);
  yasr(4, "2037-01-01 00:00:00", "192.0.2.1");
  yasr(2, kTime, "192.0.2.1");
  import_thrice(imports::yasr::kPlugin);
  EXPECT_EQ(shown(1), "2 x 3.00");
  EXPECT_EQ(rating_count(), 1);
}

TEST_F(PluginSituations, PostWithoutAPublicationDateHasItsSumsOnTheFirstImportsDay) {
  make_tables(imports::kk_star_ratings::kPlugin);
  owner_.execute("SET SESSION sql_mode = ''");
  owner_.execute("UPDATE wp_posts SET post_date_gmt = '0000-00-00 00:00:00'");
  set_meta(1, "_kksr_casts", "2");
  set_meta(1, "_kksr_ratings", "10");
  import(imports::kk_star_ratings::kPlugin);
  const Lines first = aggregates();
  EXPECT_EQ(first, Lines{"post 1 scale 2026-11-21 kk-star-ratings 2000: 2 x 10"});
  now_ += std::chrono::days(40);
  import(imports::kk_star_ratings::kPlugin);
  EXPECT_EQ(aggregates(), first);
}

// --- Rows with the same address or number

TEST_F(PluginSituations, VotesThatYasrTookOverFromRateMyPostAreOfManyPeople) {
  make_tables(imports::yasr::kPlugin);
  set_option("yasr-version", "3.4.5");
  for (const double vote : {5, 5, 4, 3, 1}) yasr(vote, kTime, "ratemypost");
  const PluginReport report = import_thrice(imports::yasr::kPlugin);
  EXPECT_EQ(shown(1), "5 x 3.60");
  EXPECT_EQ(rating_count(), 0);
  EXPECT_EQ(report.different, 0);
}

TEST_F(PluginSituations, RatingThatVersion03StoredForAMarkIsTakenBack) {
  make_tables(imports::yasr::kPlugin);
  for (const double vote : {5, 5, 4, 3, 1}) yasr(vote, kTime, "ratemypost");
  // Version 0.3 imported votes with the address "ratemypost" as one rating with the value of the
  // newest vote. If several votes had the same time, version 0.3 used the first vote.
  const auto store = [&](model::Thousandths value) {
    transfer::StoredRating rating;
    rating.key = {{1, "post"},
                  model::Category::scale,
                  imports::PluginVoters("key").voter("yasr", "visitor", "ratemypost")};
    rating.value = value;
    rating.created_at = rating.rated_at = *imports::utc_time(kTime, {});
    transfer::MergeMemory memory;
    transfer::RatingMerge(owner_).merge({&rating, 1}, memory);
  };
  store(1000);
  EXPECT_EQ(shown(1), "1 x 5.00");
  EXPECT_EQ(import(imports::yasr::kPlugin, true).taken_back, 1);
  EXPECT_EQ(import(imports::yasr::kPlugin).taken_back, 1);
  EXPECT_EQ(shown(1), "5 x 3.60");
  expect_verified();
  // The import must not remove a rating whose value is not in the log, because the voter has
  // evidently changed the rating.
  store(400);
  EXPECT_EQ(import(imports::yasr::kPlugin).taken_back, 0);
  EXPECT_EQ(rating_count(), 1);
}

TEST_F(PluginSituations, OneAddressForAllVisitorsKeepsTheirNumberAndAverage) {
  make_tables(imports::wp_postratings::kPlugin);
  for (const int stars : {5, 5, 5, 5, 4, 4, 4, 4, 3, 3}) {
    owner_.execute(
        "INSERT INTO wp_ratings (rating_postid, rating_posttitle, rating_rating, rating_timestamp,"
        " rating_ip, rating_host, rating_username, rating_userid) VALUES (1, '', ?, '1768050000',"
        " '10.0.0.1', '', 'Guest', 0)",
        std::int64_t{stars});
  }
  set_meta(1, "ratings_users", "10");
  set_meta(1, "ratings_score", "42");
  EXPECT_EQ(import_thrice(imports::wp_postratings::kPlugin).different, 0);
  EXPECT_EQ(shown(1), "10 x 4.20");
  EXPECT_EQ(rating_count(), 1);
}

TEST_F(PluginSituations, LikesThatWpUlikeLogsByCookieAllCount) {
  make_tables(imports::wp_ulike::kPlugin);
  for (int i = 0; i < 5; ++i) {
    owner_.execute(
        "INSERT INTO wp_ulike (post_id, date_time, ip, user_id, status) VALUES (1, ?,"
        " '192.0.2.1', '3221225985', 'like')",
        std::string(kTime));
  }
  // If the log identifies users by name or address, identical likes by one user count once.
  import(imports::wp_ulike::kPlugin, true);
  EXPECT_EQ(import(imports::wp_ulike::kPlugin, true).votes_in_sums, 0);
  set_option("wp_ulike_settings",
             "a:1:{s:11:\"posts_group\";a:1:{s:14:\"logging_method\";s:10:\"do_not_log\";}}");
  EXPECT_EQ(import(imports::wp_ulike::kPlugin, true).votes_in_sums, 4);
  set_option("wp_ulike_settings",
             "a:1:{s:11:\"posts_group\";a:1:{s:14:\"logging_method\";s:9:\"by_cookie\";}}");
  import_thrice(imports::wp_ulike::kPlugin);
  EXPECT_EQ(shown(1, 1), "5 x 1.00");
  EXPECT_EQ(rating_count(), 1);
}

// WordPress turns strict mode off, so a number that is too large for its column is stored as the
// column's greatest value. Rate My Post stores users in SMALLINT columns, and posts in SMALLINT or
// MEDIUMINT columns.
TEST_F(PluginSituations, UsersAndPostsThatAreTooLargeForRateMyPostAreNotMistakenForOthers) {
  make_tables(imports::rate_my_post::kPlugin);
  owner_.execute("SET SESSION sql_mode = ''");
  owner_.execute("INSERT INTO wp_users (ID) VALUES (32767), (40000), (50000)");
  owner_.execute(
      "INSERT INTO wp_posts (ID, post_type, post_date_gmt) VALUES (32767, 'post', ?),"
      " (8388607, 'post', ?), (8400000, 'post', ?)",
      kTime, kTime, kTime);
  const auto rate = [&](std::int64_t post, std::int64_t user, const char* address) {
    owner_.execute(
        "INSERT INTO wp_rmp_analytics (time, ip, country, user, post, action, duration, average,"
        " votes, value, token) VALUES (?, ?, '0', ?, ?, 1, 5, 5, 1, 5, '-1')",
        kTime, address, user, post);
  };
  rate(1, 40000, "192.0.2.1");
  rate(1, 50000, "192.0.2.2");
  rate(8400000, 7, "192.0.2.7");
  set_meta(1, "rmp_vote_count", "2");
  set_meta(1, "rmp_rating_val_sum", "10");
  set_meta(8400000, "rmp_vote_count", "1");
  set_meta(8400000, "rmp_rating_val_sum", "5");
  import_thrice(imports::rate_my_post::kPlugin);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes WHERE voter = 32767"), 0);
  EXPECT_EQ(anonymous_voters(), 2);
  EXPECT_EQ(shown(1), "2 x 5.00");
  EXPECT_EQ(shown(8388607), "nothing");
  EXPECT_EQ(shown(8400000), "1 x 5.00");
  // Until version 2.10.3, the column for the post was as narrow as the column for the user.
  owner_.execute("ALTER TABLE wp_rmp_analytics MODIFY post SMALLINT(5) NOT NULL");
  import(imports::rate_my_post::kPlugin);
  EXPECT_EQ(shown(32767), "nothing");
}

// --- Sums and metadata

TEST_F(PluginSituations, FirstOfRepeatedMetaCounts) {
  make_tables(imports::wp_postratings::kPlugin);
  for (const auto& [users, score] : {std::pair("4", "14"), std::pair("9", "45")}) {
    set_meta(1, "ratings_users", users);
    set_meta(1, "ratings_score", score);
    set_meta(2, "_kksr_casts", users);
    set_meta(2, "_kksr_ratings", score);
    set_meta(3, "_rest_likes", users);
  }
  for (const Plugin* plugin : {&imports::wp_postratings::kPlugin,
                               &imports::kk_star_ratings::kPlugin, &imports::rest_likes::kPlugin}) {
    grant(*plugin);
    import(*plugin);
  }
  EXPECT_EQ(shown(1), "4 x 3.50");
  EXPECT_EQ(shown(2), "4 x 3.50");
  EXPECT_EQ(shown(3, 1), "4 x 1.00");
}

TEST_F(PluginSituations, NumbersAreThoseThatPhpReads) {
  make_tables(imports::kk_star_ratings::kPlugin);
  set_meta(1, "_kksr_casts", "4");
  set_meta(1, "_kksr_ratings", "13,5");
  set_meta(2, "_kksr_casts", "1e2");
  set_meta(2, "_kksr_ratings", "4E2");
  set_meta(3, "_kksr_casts", "2");
  set_meta(3, "_kksr_ratings", "11");
  const PluginReport report = import_thrice(imports::kk_star_ratings::kPlugin);
  EXPECT_EQ(shown(1), "4 x 3.25");
  EXPECT_EQ(shown(2), "100 x 4.00");
  EXPECT_EQ(shown(3), "nothing");
  ASSERT_EQ(report.differences.size(), 1U);
  EXPECT_EQ(report.differences[0], (imports::Difference{"post 3", 2, 5.5, 0, 0, imports::kNoSums}));
}

TEST_F(PluginSituations, NamedRatingsOfKkStarRatingsAreCriteria) {
  make_tables(imports::kk_star_ratings::kPlugin);
  set_meta(1, "_kksr_count_food", "2");
  set_meta(1, "_kksr_ratings_food", "7");
  set_meta(1, "_kksr_count_service", "1");
  set_meta(1, "_kksr_ratings_service", "1");
  facets_ = {"food"};
  const PluginReport report = import_thrice(imports::kk_star_ratings::kPlugin);
  EXPECT_EQ(shown(1, 5, "post:food"), "2 x 3.50");
  EXPECT_EQ(report.refused.begin()->second, (Refusals{1, {"post:service 1"}}));
}

TEST_F(PluginSituations, LikesInMetaCountAsWpUlikeShowsThem) {
  make_tables(imports::wp_ulike::kPlugin);
  set_meta(1, "_liked", "12");
  EXPECT_EQ(import(imports::wp_ulike::kPlugin, true).votes_in_sums, 12);  // no version: 3 or older
  set_option("wp_ulike_dbVersion", "2.3");
  const PluginReport hidden = import(imports::wp_ulike::kPlugin);
  EXPECT_EQ(shown(1, 1), "nothing");
  EXPECT_EQ(hidden.refused.begin()->second.count, 1);
  set_option("wp_ulike_settings", "a:1:{s:18:\"enable_meta_values\";s:1:\"1\";}");
  import_thrice(imports::wp_ulike::kPlugin);
  EXPECT_EQ(shown(1, 1), "12 x 1.00");
}

// BuddyPress keeps activity metadata in its own table. If a metadata key has several values, WP
// ULike uses the first value.
TEST_F(PluginSituations, LikesInMetaOfActivitiesCountAsWpUlikeShowsThem) {
  make_tables(imports::wp_ulike::kPlugin);
  owner_.execute("CREATE TABLE wp_bp_activity (id BIGINT PRIMARY KEY, date_recorded DATETIME)");
  owner_.execute(
      "CREATE TABLE wp_bp_activity_meta (id BIGINT PRIMARY KEY, activity_id BIGINT,"
      " meta_key VARCHAR(255), meta_value LONGTEXT)");
  grant(imports::wp_ulike::kPlugin);
  owner_.execute("INSERT INTO wp_bp_activity VALUES (500, '2025-03-01 12:00:00'), (501, NULL)");
  owner_.execute(
      "INSERT INTO wp_bp_activity_meta VALUES (1, 500, 'favorite_count', '99'),"
      " (2, 500, '_activityliked', '12'), (3, 500, '_activityliked', '13'),"
      " (4, 501, '_activityliked', 'many'), (5, 502, '_activityliked', '4')");
  const PluginReport of_3 = import(imports::wp_ulike::kPlugin, true);
  EXPECT_EQ(of_3.votes_in_sums, 12);
  EXPECT_EQ(of_3.refused.at(imports::kNoNumber), (Refusals{1, {"activity 501"}}));
  set_option("wp_ulike_dbVersion", "2.3");
  const PluginReport hidden = import(imports::wp_ulike::kPlugin);
  EXPECT_EQ(shown(500, 1, "activity"), "nothing");
  EXPECT_EQ(hidden.refused.begin()->second.count, 3);
  set_option("wp_ulike_settings", "a:1:{s:18:\"enable_meta_values\";s:1:\"1\";}");
  import_thrice(imports::wp_ulike::kPlugin);
  EXPECT_EQ(shown(500, 1, "activity"), "12 x 1.00");
  EXPECT_EQ(lines("SELECT day FROM wp_ratingd_balances WHERE object_id = 500"),
            Lines{"2025-03-01"});
}

// A damaged BuddyPress table is no evidence that the site has used WP ULike.
TEST_F(PluginSituations, DamagedTableOfBuddyPressIsNoSignOfWpUlike) {
  owner_.execute("CREATE TABLE wp_old (id BIGINT PRIMARY KEY)");
  owner_.execute("CREATE VIEW wp_bp_activity AS SELECT * FROM wp_old");
  owner_.execute("DROP TABLE wp_old");
  grant(imports::wp_ulike::kPlugin);
  db::Connection connection(ratingctl());
  EXPECT_FALSE(imports::find_tables(connection, imports::wp_ulike::kPlugin).damaged.empty());
  for (const auto& [plugin, tables] : imports::find_plugins(connection)) {
    EXPECT_NE(plugin->name, "wp-ulike");
  }
}

TEST_F(PluginSituations, DifferenceInLikesIsNotAnAverageOfStars) {
  make_tables(imports::wp_ulike::kPlugin);
  set_option("wp_ulike_dbVersion", "2.3");
  owner_.execute(
      "INSERT INTO wp_ulike_meta (item_id, meta_group, meta_key, meta_value)"
      " VALUES (1, 'post', 'count_distinct_like', '1')");
  ulike("7");
  ulike("8");
  EXPECT_EQ(import_thrice(imports::wp_ulike::kPlugin).differences.at(0),
            (imports::Difference{"post 1", 1, 1, 2, 1, imports::kFewerShown}));
}

TEST_F(PluginSituations, CountersOfWpUlikeWhoseLogIsDeletedCount) {
  make_tables(imports::wp_ulike::kPlugin);
  set_option("wp_ulike_dbVersion", "2.3");
  owner_.execute(
      "INSERT INTO wp_ulike_meta (item_id, meta_group, meta_key, meta_value) VALUES"
      " (1, 'post', 'count_distinct_like', '7'), (1, 'post', 'count_distinct_dislike', '3')");
  owner_.execute(
      "INSERT INTO wp_ulike (post_id, date_time, ip, user_id, status) VALUES (1, ?, '192.0.2.1',"
      " '3221225985', 'like')",
      std::string(kTime));
  EXPECT_EQ(import_thrice(imports::wp_ulike::kPlugin).different, 0);
  EXPECT_EQ(shown(1, 1), "10 x 0.70");
}

// --- Repeated imports

TEST_F(PluginSituations, WithdrawnRatingStaysAwayAndANewVoteComes) {
  make_tables(imports::yasr::kPlugin);
  yasr(5, kTime, "192.0.2.7", 7);
  yasr(4, kTime, "192.0.2.8", 8);
  import(imports::yasr::kPlugin);
  const model::RatingKey key{{1, "post"}, model::Category::scale, 7};
  transfer::RatingRemoval(owner_).remove({&key, 1});
  const PluginReport second = import(imports::yasr::kPlugin);
  EXPECT_EQ(second.withdrawn, 1);
  EXPECT_EQ(second.ratings, transfer::MergeCounts{.kept = 1});
  EXPECT_EQ(shown(1), "1 x 4.00");
  owner_.execute("UPDATE wp_yasr_log SET vote = 2, date = '2026-02-01 12:00:00' WHERE user_id = 7");
  EXPECT_EQ(import(imports::yasr::kPlugin).ratings.added, 1U);
  EXPECT_EQ(shown(1), "2 x 3.00");
  expect_verified();
}

TEST_F(PluginSituations, SumsDoNotShiftIfRatingsAreErasedOrRolledUp) {
  make_tables(imports::yasr::kPlugin);
  yasr(5, kTime, "192.0.2.7", 7);
  yasr(1, "2026-01-09 12:00:00", "192.0.2.7", 7);
  yasr(4, kTime, "192.0.2.8");
  yasr(3, kNoTime, "192.0.2.9");
  import(imports::yasr::kPlugin);
  const Lines sums = aggregates();
  const model::RatingKey key{{1, "post"}, model::Category::scale, 7};
  transfer::RatingRemoval(owner_).remove({&key, 1});
  import(imports::yasr::kPlugin);
  EXPECT_EQ(aggregates(), sums);
  EXPECT_EQ(transfer::Aggregation(owner_).aggregate(now_), 1U);
  const Lines aggregated = aggregates();
  EXPECT_EQ(import(imports::yasr::kPlugin).ratings.too_old, 2U);
  EXPECT_EQ(aggregates(), aggregated);
  EXPECT_EQ(shown(1), "3 x 2.67");
  expect_verified();
}

TEST_F(PluginSituations, SumsStayIfThePluginHasDeletedItsLog) {
  make_tables(imports::wp_postratings::kPlugin);
  owner_.execute(
      "INSERT INTO wp_ratings (rating_postid, rating_posttitle, rating_rating, rating_timestamp,"
      " rating_ip, rating_host, rating_username, rating_userid) VALUES"
      " (1, '', 5, '1768050000', '192.0.2.1', '', '', 0),"
      " (1, '', 4, '1768050000', '192.0.2.2', '', '', 0)");
  set_meta(1, "ratings_users", "5");
  set_meta(1, "ratings_score", "18");
  import_thrice(imports::wp_postratings::kPlugin);
  EXPECT_EQ(shown(1), "5 x 3.60");
  for (const char* const deletion :
       {"DELETE FROM wp_ratings WHERE rating_rating = 5", "DELETE FROM wp_ratings"}) {
    owner_.execute(deletion);
    const PluginReport report = import(imports::wp_postratings::kPlugin);
    ASSERT_EQ(report.differences.size(), 1U);
    EXPECT_EQ(report.differences[0].object, "post 1");
    EXPECT_EQ(report.differences[0].why, imports::kLostVotes);
    EXPECT_EQ(shown(1), "5 x 3.60");
  }
  // A vote cast after the first import is imported as a separate rating.
  owner_.execute(
      "INSERT INTO wp_ratings (rating_postid, rating_posttitle, rating_rating, rating_timestamp,"
      " rating_ip, rating_host, rating_username, rating_userid) VALUES"
      " (1, '', 3, '1768060000', '192.0.2.3', '', '', 0)");
  EXPECT_EQ(import(imports::wp_postratings::kPlugin).different, 1);
  EXPECT_EQ(shown(1), "6 x 3.50");
  expect_verified();
}

TEST_F(PluginSituations, FiguresThatThePluginHasDeletedAreNamedAndTheLogIsImported) {
  make_tables(imports::wp_postratings::kPlugin);
  owner_.execute(
      "INSERT INTO wp_ratings (rating_postid, rating_posttitle, rating_rating, rating_timestamp,"
      " rating_ip, rating_host, rating_username, rating_userid) VALUES"
      " (1, '', 5, '1768050000', '192.0.2.1', '', '', 0)");
  const PluginReport report = import_thrice(imports::wp_postratings::kPlugin);
  EXPECT_EQ(shown(1), "1 x 5.00");
  ASSERT_EQ(report.differences.size(), 1U);
  EXPECT_EQ(report.differences[0],
            (imports::Difference{"post 1", 0, 0, 1, 5, imports::kFewerShown}));
}

TEST_F(PluginSituations, WhatIsStoredOfADeletedPostStays) {
  make_tables(imports::yasr::kPlugin);
  yasr(5, kTime, "192.0.2.7", 7);
  yasr(3, kTime, "ratemypost");
  import(imports::yasr::kPlugin);
  owner_.execute("DELETE FROM wp_posts WHERE ID = 1");
  const PluginReport report = import(imports::yasr::kPlugin);
  EXPECT_EQ(report.refused.at("the rated content no longer exists on this site").count, 2);
  EXPECT_EQ(report.different, 0);
  EXPECT_EQ(shown(1), "2 x 4.00");
}

TEST_F(PluginSituations, AfterADeletionOfAllRatingsAnImportAddsThemAgain) {
  make_tables(imports::yasr::kPlugin);
  yasr(5, kTime, "192.0.2.7", 7);
  import(imports::yasr::kPlugin);
  transfer::clean(owner_, transfer::CleanScope::ratings, {}, [](std::uint64_t) {});
  const PluginReport report = import(imports::yasr::kPlugin);
  EXPECT_EQ(report.withdrawn, 0);
  EXPECT_EQ(shown(1), "1 x 5.00");
}

// WP-PostRatings shows more thumbs down than thumbs up on a post, and the log contains none of
// these votes.
TEST_F(PluginSituations, ThumbsMayHaveANegativeScore) {
  make_tables(imports::wp_postratings::kPlugin);
  set_option("postratings_ratingsvalue", "a:2:{i:0;i:-1;i:1;i:1;}");
  set_meta(1, "ratings_users", "5");
  set_meta(1, "ratings_score", "-3");
  EXPECT_EQ(import_thrice(imports::wp_postratings::kPlugin).different, 0);
  EXPECT_EQ(shown(1, 1), "5 x -0.60");
}

// The test database contains more objects and votes than the import reads in one range.
TEST_F(PluginSituations, ManyVotesOfManyObjectsAreReadWhole) {
  make_tables(imports::yasr::kPlugin);
  set_option("yasr-version", "3.4.5");
  make_numbers();
  owner_.execute(
      "INSERT INTO wp_posts (ID, post_type, post_date_gmt) SELECT 1000 + n, 'post',"
      " '2025-01-01 10:00:00' FROM numbers WHERE n <= 1500");
  owner_.execute(
      "INSERT INTO wp_yasr_log (post_id, user_id, vote, date, ip) SELECT 1001 + n % 1500, 0,"
      " 1 + n % 5, '2026-01-10 12:00:00', CONCAT('192.0.2.', n % 250) FROM numbers"
      " WHERE n <= 20000");
  const PluginReport report = import(imports::yasr::kPlugin);
  EXPECT_EQ(report.votes, 20000);
  EXPECT_EQ(report.different, 0);
  EXPECT_EQ(number("SELECT SUM(bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9"
                   " + bin10) FROM wp_ratingd_totals"),
            20000);
  expect_verified();
}

}  // namespace
