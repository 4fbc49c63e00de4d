#include "imports/plugin_import.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "db/lease.h"
#include "support/plugin_votes.h"
#include "transfer/locks.h"

namespace {

using imports::Plugin;
using imports::PluginReport;
using imports::Refusals;
using support::Lines;
using namespace std::chrono_literals;

constexpr const char* kNoObject = "the rated content no longer exists on this site";

class PluginImport : public support::PluginVotes {};

TEST_F(PluginImport, FromRatePress) {
  load_with_privileges(imports::ratepress::kPlugin);
  const PluginReport report = import_thrice(imports::ratepress::kPlugin);
  EXPECT_EQ(report.votes, 15);
  EXPECT_EQ(report.anonymous, 5);
  EXPECT_EQ(report.ratings, (transfer::MergeCounts{.added = 8}));
  EXPECT_EQ(ratings(), (Lines{"comment 11 binary 7 0 2026-01-10 12:00:00",
                              "post 1 binary 8 1000 2026-01-10 12:00:00",
                              "post 1 scale 7 800 2026-01-10 12:00:00",
                              "post 1 scale anonymous 250 2026-01-10 12:00:00",
                              "post 1 scale anonymous 700 2026-01-11 12:00:00",
                              "post 2 bipolar 7 -1000 2026-01-10 12:00:00",
                              "post 2 bipolar anonymous 0 2026-01-10 12:00:00",
                              "post 2 bipolar anonymous 1000 2026-01-10 12:00:00"}));
  const std::map<imports::Reason, Refusals> refused = {
      {kNoObject, {2, {"post 99 (row 10)", "comment 12 (row 11)"}}},
      {imports::kOutOfRange, {2, {"post 3 (row 12)", "post 3 (row 13)"}}}};
  EXPECT_EQ(report.refused, refused);
  // The expected aggregates contain the older of two votes by the same visitor, and two votes with
  // invalid timestamps.
  EXPECT_EQ(aggregates(), (Lines{"post 1 scale 2026-01-10 ratepress:dated 500: 1 x 5",
                                 "post 3 bipolar 2025-03-01 ratepress 2000: 2 x 10"}));
}

TEST_F(PluginImport, FromWpPostRatings) {
  load_with_privileges(imports::wp_postratings::kPlugin);
  const PluginReport report = import_thrice(imports::wp_postratings::kPlugin);
  EXPECT_EQ(report.votes, 8);
  EXPECT_EQ(report.ratings, (transfer::MergeCounts{.added = 3}));
  EXPECT_EQ(ratings(), (Lines{"post 1 scale 7 1000 2026-01-10 12:00:00",
                              "post 1 scale anonymous 800 2026-01-10 13:00:00",
                              "post 2 scale anonymous 200 2026-07-10 11:00:00"}));
  EXPECT_EQ(anonymous_voters(), 1);
  // According to the plugin, post 2 has 4 votes with 12 stars in total. The log of WP-PostRatings
  // contains a vote with 1 star, a vote with 5 stars but no time, and votes with values that are no
  // longer allowed.
  EXPECT_EQ(aggregates(), (Lines{"post 1 scale 2025-01-01 wp-postratings 2800: 2 x 6, 2 x 8",
                                 "post 1 scale 2026-01-10 wp-postratings:dated 600: 1 x 6",
                                 "post 2 scale 2025-02-02 wp-postratings 2200: 2 x 6, 1 x 10"}));
  EXPECT_EQ(report.objects, 2);
  EXPECT_EQ(report.votes_in_sums, 8);
  EXPECT_EQ(report.refused.at(imports::kNoSums), (Refusals{1, {"post 3"}}));
  EXPECT_EQ(report.refused.at(imports::kOutOfRange).count, 2);
}

TEST_F(PluginImport, ThumbsOfWpPostRatingsAreBipolar) {
  load_with_privileges(imports::wp_postratings::kPlugin);
  owner_.execute("DELETE FROM wp_ratings WHERE rating_id > 2");
  owner_.execute("UPDATE wp_ratings SET rating_rating = IF(rating_id = 1, 1, -1)");
  owner_.execute("DELETE FROM wp_postmeta WHERE post_id > 1");
  owner_.execute("UPDATE wp_postmeta SET meta_value = 1 WHERE meta_key = 'ratings_score'");
  // Version 2 of WP-PostRatings stores its options in this format.
  owner_.execute(
      "UPDATE wp_options SET option_name = 'wp_postratings_options', option_value = "
      "'a:2:{s:3:\"max\";i:2;s:7:\"ratings\";a:1:{s:5:\"value\";a:2:{i:0;i:-1;i:1;i:1;}}}'"
      " WHERE option_name = 'postratings_ratingsvalue'");
  import_thrice(imports::wp_postratings::kPlugin);
  EXPECT_EQ(ratings(), (Lines{"post 1 bipolar 7 1000 2026-01-10 12:00:00",
                              "post 1 bipolar anonymous -1000 2026-01-10 12:00:00"}));
  EXPECT_EQ(aggregates(), Lines{"post 1 bipolar 2025-01-01 wp-postratings 1000: 2 x 0, 3 x 10"});
}

TEST_F(PluginImport, FromKkStarRatings) {
  load_with_privileges(imports::kk_star_ratings::kPlugin);
  const PluginReport report = import_thrice(imports::kk_star_ratings::kPlugin);
  EXPECT_EQ(aggregates(), (Lines{"post 1 scale 2025-01-01 kk-star-ratings 2800: 2 x 6, 2 x 8",
                                 "post 2 scale 2025-02-02 kk-star-ratings 1667: 1 x 4, 2 x 6"}));
  EXPECT_EQ(report.objects, 2);
  EXPECT_EQ(report.votes_in_sums, 7);
  EXPECT_EQ(report.refused.at(imports::kNoSums), (Refusals{1, {"post 3"}}));
  EXPECT_EQ(report.refused.size(), 2U);  // and the second rating of post 1
}

// kk Star Ratings stores sums on a five-star scale, regardless of the number of stars that the site
// uses. Versions 2.0 to 2.6.4 of kk Star Ratings convert each vote to a five-star scale before
// adding it to the sum.
TEST_F(PluginImport, KkStarRatingsStoresSumsOfFiveStarsInEachVersion) {
  load_with_privileges(imports::kk_star_ratings::kPlugin);
  owner_.execute("DELETE FROM wp_postmeta WHERE post_id = 1");
  for (const char* const version : {"2.0", "2.6.4", "2.6.5", "3.1.0", "4.2.0", "5.4.2"}) {
    owner_.execute("DELETE FROM wp_options WHERE option_name LIKE 'kksr%'");
    owner_.execute(
        "INSERT INTO wp_options (option_name, option_value) VALUES ('kksr_ver', ?),"
        " ('kksr_stars', '10')",
        version);
    EXPECT_EQ(import(imports::kk_star_ratings::kPlugin).refused.at(imports::kNoSums).count, 1);
    EXPECT_EQ(aggregates(), Lines{"post 2 scale 2025-02-02 kk-star-ratings 1667: 1 x 4, 2 x 6"})
        << version;
  }
}

TEST_F(PluginImport, SumsAreSetAndStayOnTheirDay) {
  load_with_privileges(imports::kk_star_ratings::kPlugin);
  import(imports::kk_star_ratings::kPlugin);
  owner_.execute(
      "UPDATE wp_postmeta SET meta_value = IF(meta_key LIKE '%count%', 5, 19)"
      " WHERE post_id = 1 AND meta_key LIKE '%_default'");
  owner_.execute("UPDATE wp_posts SET post_date_gmt = '2025-12-01 00:00:00'");
  owner_.execute("UPDATE wp_postmeta SET meta_value = 0 WHERE post_id = 2");
  const PluginReport report = import(imports::kk_star_ratings::kPlugin);
  EXPECT_EQ(report.aggregates, transfer::MergeCounts{.changed = 1});
  EXPECT_EQ(report.emptied, 1);
  EXPECT_EQ(aggregates(), Lines{"post 1 scale 2025-01-01 kk-star-ratings 3800: 1 x 6, 4 x 8"});
  expect_verified();
}

TEST_F(PluginImport, FromYasr) {
  load_with_privileges(imports::yasr::kPlugin);
  const PluginReport report = import_thrice(imports::yasr::kPlugin);
  EXPECT_EQ(ratings(), (Lines{"post 1 scale 7 1000 2026-01-10 12:00:00",
                              "post 1 scale anonymous 400 2026-01-12 12:00:00",
                              "post 2 scale anonymous 600 2026-01-10 12:00:00",
                              "post 2 scale anonymous 700 2026-01-10 12:00:00"}));
  EXPECT_EQ(aggregates(), (Lines{"post 1 scale 2025-01-01 yasr 8600: 7 x 8, 3 x 10",
                                 "post 1 scale 2026-01-10 yasr:dated 800: 1 x 8",
                                 "post 2 scale 2025-02-02 yasr 1000: 1 x 10"}));
  EXPECT_EQ(report.refused.at(imports::kOutOfRange).count, 2);
  ASSERT_EQ(report.differences.size(), 1U);
  EXPECT_EQ(report.differences[0],
            (imports::Difference{"post 2", 2, 3.25, 3, 11.5 / 3, imports::kFewerShown}));
  const Refusals of_multi_sets = report.refused.at(
      "the vote is for a multi-set field that is missing from “Criteria and reactions”");
  EXPECT_EQ(
      of_multi_sets,
      (Refusals{
          7, {"post:taste-smell 1 (row 1)", "post:service 1 (row 2)", "post:service 1 (row 3)"}}));
}

TEST_F(PluginImport, FromMultiSetsOfYasr) {
  facets_ = {"taste-smell", "service"};
  load_with_privileges(imports::yasr::kPlugin);
  owner_.execute("DELETE FROM wp_yasr_log");
  owner_.execute("DELETE FROM wp_yasr_votes");
  const PluginReport report = import_thrice(imports::yasr::kPlugin);
  EXPECT_EQ(ratings(), (Lines{"post:service 1 scale 7 800 2026-01-10 12:00:00",
                              "post:service 1 scale anonymous 400 2026-01-12 12:00:00",
                              "post:taste-smell 1 scale 7 1000 2026-01-10 12:00:00"}));
  EXPECT_EQ(report.refused.at(imports::kOutOfRange), (Refusals{1, {"post:taste-smell 2 (row 7)"}}));
  EXPECT_EQ(
      report.refused
          .at("the vote is for a multi-set field that is missing from “Criteria and reactions”")
          .examples,
      (Lines{"post:price 2 (row 5)", "post: 2 (row 6)"}));
}

// Version 0.9.3 of the plugin had a table for fields, but no log for votes on the fields.
TEST_F(PluginImport, FromYasrWithoutMultiSets) {
  facets_ = {"service"};
  load_with_privileges(imports::yasr::kPlugin);
  owner_.execute("DROP TABLE wp_yasr_multi_set_fields");
  EXPECT_EQ(import(imports::yasr::kPlugin).votes, 9);
  owner_.execute("DROP TABLE wp_yasr_log_multi_set");
  EXPECT_EQ(import(imports::yasr::kPlugin).votes, 9);
}

TEST_F(PluginImport, FromShurikenReviews) {
  load_with_privileges(imports::shuriken_reviews::kPlugin);
  const PluginReport report = import_thrice(imports::shuriken_reviews::kPlugin);
  EXPECT_EQ(report.ratings, (transfer::MergeCounts{.added = 7}));
  EXPECT_EQ(ratings(), (Lines{"comment 11 binary anonymous 1000 2026-01-10 12:00:00",
                              "post 1 scale 7 1000 2026-01-12 12:00:00",
                              "post 2 binary 7 0 2026-01-10 12:00:00",
                              "post 2 binary anonymous 1000 2026-01-10 12:00:00",
                              "post.shuriken-3 1 scale 7 400 2026-01-10 12:00:00",
                              "shuriken 1 scale 7 800 2026-01-11 12:00:00",
                              "shuriken 5 binary anonymous 1000 2026-01-10 12:00:00"}));
  EXPECT_EQ(anonymous_voters(), 1);
  EXPECT_EQ(number("SELECT created_at = '2026-01-10 12:00:00' FROM wp_ratingd_votes"
                   " WHERE object_type = 'shuriken' AND object_id = 1"),
            1);
  EXPECT_EQ(report.refused.at(imports::kOutOfRange),
            (Refusals{2, {"shuriken 1 (row 11)", "post 2 (row 12)"}}));
  // The expected aggregates contain the older of two votes by the same user, a vote with 0 stars,
  // and the votes that are missing from the log.
  EXPECT_EQ(aggregates(),
            (Lines{"post 1 scale 2026-01-10 shuriken-reviews:dated 700: 1 x 7",
                   "shuriken 1 scale 2026-11-21 shuriken-reviews 0: 1 x 0",
                   "shuriken 5 binary 2026-11-21 shuriken-reviews 1000: 1 x 0, 1 x 10"}));
  EXPECT_EQ(report.different, 0);
}

TEST_F(PluginImport, FromWpUlike) {
  load_with_privileges(imports::wp_ulike::kPlugin);
  const PluginReport report = import_thrice(imports::wp_ulike::kPlugin);
  EXPECT_EQ(report.votes, 13);
  EXPECT_EQ(report.ratings, (transfer::MergeCounts{.added = 6}));
  // For post 2, the plugin counts both the like and the later dislike of the same visitor, so the
  // import stores the like as a sum.
  EXPECT_EQ(aggregates(), Lines{"post 2 binary 2026-01-10 wp-ulike:dated 1000: 1 x 10"});
  EXPECT_EQ(ratings(), (Lines{"activity 500 binary 7 1000 2026-01-10 12:00:00",
                              "comment 11 binary 7 1000 2026-01-10 12:00:00",
                              "post 1 binary 7 1000 2025-01-10 12:00:00",
                              "post 1 binary anonymous 0 2026-01-10 12:00:00",
                              "post 2 binary anonymous 0 2026-01-11 12:00:00",
                              "post 3 binary anonymous 1000 2026-01-10 12:00:00"}));
  EXPECT_EQ(report.refused.at("the voter removed the vote").count, 2);
}

TEST_F(PluginImport, FromRestLikes) {
  load_with_privileges(imports::rest_likes::kPlugin);
  const PluginReport report = import_thrice(imports::rest_likes::kPlugin);
  EXPECT_EQ(aggregates(), (Lines{"comment 11 binary 2025-04-01 rest-likes 3000: 3 x 10",
                                 "post 1 binary 2025-01-01 rest-likes 12000: 12 x 10"}));
  EXPECT_EQ(report.refused.at(imports::kNoNumber), (Refusals{1, {"post 3"}}));
}

// Authors can enter huge numbers in the metadata of their posts.
TEST_F(PluginImport, NumbersBeyondAllCountsAreRefused) {
  const auto set_meta = [&](std::int64_t post, const std::string& key, const std::string& value) {
    owner_.execute("INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (?, ?, ?)", post,
                   key, value);
  };
  for (const char* const greatest : {"9223372036854775807", "-9223372036854775808", "1000000001"}) {
    owner_.execute("DELETE FROM wp_postmeta");
    for (const char* const votes : {"ratings_users", "_kksr_count_default", "_rest_likes"}) {
      set_meta(1, votes, greatest);
    }
    for (const char* const sum : {"ratings_score", "_kksr_ratings_default"}) {
      set_meta(1, sum, greatest);
    }
    for (const Plugin* plugin :
         {&imports::wp_postratings::kPlugin, &imports::kk_star_ratings::kPlugin,
          &imports::rest_likes::kPlugin}) {
      owner_.execute("DROP TABLE IF EXISTS wp_ratings");
      load("empty-wp-postratings");
      grant(*plugin);
      const PluginReport report = import(*plugin);
      EXPECT_EQ(report.aggregates, transfer::MergeCounts()) << plugin->name << greatest;
      EXPECT_FALSE(report.refused.empty()) << plugin->name << greatest;
    }
    EXPECT_EQ(aggregates(), Lines());
    expect_verified();
  }
}

TEST_F(PluginImport, TextsOfAMegabyteAreRefusedUnread) {
  load("empty-wp-postratings");
  for (const char* const key : {"ratings_users", "ratings_score", "_kksr_count_default",
                                "_kksr_ratings_default", "_rest_likes"}) {
    owner_.execute(
        "INSERT INTO wp_postmeta (post_id, meta_key, meta_value) SELECT 1, ?, REPEAT('1', 1048576)",
        key);
  }
  for (const Plugin* plugin : {&imports::wp_postratings::kPlugin,
                               &imports::kk_star_ratings::kPlugin, &imports::rest_likes::kPlugin}) {
    grant(*plugin);
    EXPECT_EQ(import(*plugin).refused.at(imports::kNoNumber), (Refusals{1, {"post 1"}}));
  }
}

// A site may have changed the data types of a plugin's columns.
TEST_F(PluginImport, TextsOfVotesHaveALimit) {
  load("yasr");
  owner_.execute(
      "ALTER TABLE wp_yasr_log MODIFY vote LONGTEXT, MODIFY date LONGTEXT,"
      " MODIFY ip LONGTEXT");
  owner_.execute("UPDATE wp_yasr_log SET vote = CONCAT('1.', REPEAT('0', 1000000)) WHERE id = 1");
  owner_.execute("UPDATE wp_yasr_log SET date = CONCAT(date, REPEAT(' ', 1000000)) WHERE id = 2");
  owner_.execute("UPDATE wp_yasr_log SET ip = REPEAT('1', 1000000) WHERE id = 3");
  grant(imports::yasr::kPlugin);
  const PluginReport report = import(imports::yasr::kPlugin);
  EXPECT_EQ(report.refused.at(imports::kNoNumber).count, 1);
  expect_verified();
}

TEST_F(PluginImport, FromRateMyPost) {
  load_with_privileges(imports::rate_my_post::kPlugin);
  const PluginReport report = import_thrice(imports::rate_my_post::kPlugin);
  EXPECT_EQ(ratings(), (Lines{"post 1 scale 7 1000 2026-01-10 12:00:00",
                              "post 1 scale anonymous 400 2026-01-11 12:00:00",
                              "post 1 scale anonymous 600 2026-01-11 12:00:00",
                              "post 1 scale anonymous 800 2026-01-10 12:00:00",
                              "post 2 scale anonymous 200 2026-01-11 12:00:00"}));
  // The plugin shows 6 ratings of post 1 with an average of 3.67, 1 rating of post 2 with 1 star,
  // and 10 ratings of post 3 with an average of 4.5. The aggregates contain only votes that Rate My
  // Post has not stored individually.
  EXPECT_EQ(aggregates(), (Lines{"post 1 scale 2025-01-01 rate-my-post 1600: 2 x 8",
                                 "post 3 scale 2025-03-01 rate-my-post 9000: 5 x 8, 5 x 10"}));
  EXPECT_EQ(report.refused.at(imports::kOutOfRange), (Refusals{1, {"post 1 (row 6)"}}));
  EXPECT_EQ(report.different, 0);
}

TEST_F(PluginImport, FromSiteReviews) {
  load_with_privileges(imports::site_reviews::kPlugin);
  const PluginReport report = import_thrice(imports::site_reviews::kPlugin);
  EXPECT_EQ(ratings(), (Lines{"author 7 scale anonymous 800 2026-01-11 12:00:00",
                              "post 1 scale 7 1000 2026-01-10 12:00:00",
                              "post 1 scale anonymous 400 2026-01-12 12:00:00",
                              "post 2 scale 7 1000 2026-01-10 12:00:00",
                              "term 55 scale 7 1000 2026-01-10 12:00:00",
                              "term 55 scale anonymous 800 2026-01-11 12:00:00"}));
  // According to the plugin, post 1 has 4 reviews with an average of 3.5.
  EXPECT_EQ(aggregates(), (Lines{"post 1 scale 2025-01-01 site-reviews 600: 1 x 6",
                                 "post 1 scale 2026-01-11 site-reviews:dated 800: 1 x 8"}));
  EXPECT_EQ(report.different, 0);
  EXPECT_EQ(report.refused.at("the review has no rating").count, 1);
}

TEST_F(PluginImport, NewerVotesOfEitherSideWin) {
  load_with_privileges(imports::yasr::kPlugin);
  import(imports::yasr::kPlugin);
  votes::VoteRequest vote_request = support::vote(7, 200, model::Category::scale);
  vote_request.key.object = {1, "post"};
  ASSERT_TRUE(writer_.write(vote_request));
  owner_.execute("INSERT INTO wp_yasr_log VALUES (20, 1, 8, 5, '2026-02-01 12:00:00', '')");
  owner_.execute("UPDATE wp_yasr_log SET vote = 1, date = '2026-02-01 12:00:00' WHERE id = 3");
  const PluginReport report = import(imports::yasr::kPlugin);
  EXPECT_EQ(report.ratings, (transfer::MergeCounts{.added = 1, .changed = 1, .kept = 3}));
  EXPECT_EQ(ratings(), (Lines{"post 1 scale 7 200 2026-11-21 12:00:00",
                              "post 1 scale 8 1000 2026-02-01 12:00:00",
                              "post 1 scale anonymous 200 2026-02-01 12:00:00",
                              "post 2 scale anonymous 600 2026-01-10 12:00:00",
                              "post 2 scale anonymous 700 2026-01-10 12:00:00"}));
  expect_verified();
}

TEST_F(PluginImport, MoreThanASliceIsTakenOverWhole) {
  load_with_privileges(imports::yasr::kPlugin);
  owner_.execute("DELETE FROM wp_yasr_log");
  owner_.execute("DELETE FROM wp_yasr_log_multi_set");
  owner_.execute("DROP TABLE wp_yasr_votes");
  owner_.execute(
      "INSERT INTO wp_yasr_log WITH digits AS (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2"
      " UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL"
      " SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9), numbers AS (SELECT 1 + a.d + 10 * b.d +"
      " 100 * c.d + 1000 * d.d AS n FROM digits a, digits b, digits c, digits d)"
      " SELECT n, 1 + n % 3, 0, 1 + n % 5, '2026-01-10 12:00:00', CONCAT('10.0.', n % 4000 DIV "
      "250, '.', n % 250)"
      " FROM numbers WHERE n <= 5000");
  const PluginReport report = import_thrice(imports::yasr::kPlugin);
  EXPECT_EQ(report.votes, 5000);
  EXPECT_EQ(report.ratings, (transfer::MergeCounts{.added = 5000}));
  EXPECT_EQ(anonymous_voters(), 4000);
}

TEST_F(PluginImport, NothingIsImportedWithoutTheRightToRead) {
  load("yasr");
  db::Connection connection(ratingctl());
  const auto tables = imports::find_tables(connection, imports::yasr::kPlugin);
  EXPECT_FALSE(tables.is_enough);
  EXPECT_EQ(tables.missing.size(), 5U);
}

TEST_F(PluginImport, InterruptedDeletionOfAllRatingsMustBeRepeatedFirst) {
  load_with_privileges(imports::ratepress::kPlugin);
  owner_.execute("INSERT INTO wp_ratingd_state (name, value) VALUES ('cleaning_all', 'now/0/1')");
  EXPECT_THROW(import(imports::ratepress::kPlugin), db::Busy);
  EXPECT_EQ(everything(), Lines());
}

TEST_F(PluginImport, RunsBesideNoOtherChangeOfManyRatings) {
  load_with_privileges(imports::ratepress::kPlugin);
  int slices = 0;
  progress_ = [&](std::uint64_t, std::uint64_t) {
    ++slices;
    db::Connection other(ratingctl());
    EXPECT_THROW(static_cast<void>(transfer::lock_changes(other, 0s)), db::Busy);
  };
  const PluginReport report = import(imports::ratepress::kPlugin);
  EXPECT_GT(report.ratings.added, 0U);
  EXPECT_GT(slices, 0);
}

TEST_F(PluginImport, InPartsIsTheSame) {
  load_with_privileges(imports::yasr::kPlugin);
  const PluginReport whole = import(imports::yasr::kPlugin, true);
  db::Connection connection(ratingctl());
  const auto tables = imports::find_tables(connection, imports::yasr::kPlugin);
  std::vector<std::uint64_t> ends;
  transfer::MergeCounts ratings, sums;
  std::int64_t refused = 0;
  for (std::optional<std::uint64_t> next = 0; next;) {
    imports::PluginImport part(connection, imports::yasr::kPlugin, settings());
    const auto done = part.run_part(tables, *next, 0ms, progress_);
    ratings += done.report.ratings;
    sums += done.report.aggregates;
    for (const auto& [reason, refusals] : done.report.refused) refused += refusals.count;
    next = done.next;
    if (next) ends.push_back(*next);
  }
  std::int64_t refused_in_all = 0;
  for (const auto& [reason, refusals] : whole.refused) refused_in_all += refusals.count;
  EXPECT_EQ(refused, refused_in_all);
  expect_verified();
}

TEST_F(PluginImport, FindsPluginsByTheirTablesOrOptions) {
  const auto found = [&] {
    db::Connection connection(ratingctl());
    Lines names;
    for (const auto& [plugin, tables] : imports::find_plugins(connection)) {
      names.push_back(std::string(plugin->name) + (tables.is_enough ? "" : " (no rights)"));
    }
    return names;
  };
  EXPECT_EQ(found(), Lines());
  load_with_privileges(imports::ratepress::kPlugin);
  owner_.execute(
      "INSERT INTO wp_options (option_name, option_value) VALUES ('yasr_general_options', ''),"
      " ('active_plugins', 'a:1:{i:0;s:25:\"rest-likes/rest-likes.php\";}')");
  EXPECT_EQ(found(), (Lines{"ratepress", "yasr (no rights)", "rest-likes (no rights)"}));
}

TEST_F(PluginImport, ReplacedSecretMakesNoOtherVoters) {
  db::Connection connection(ratingctl());
  const std::vector<std::string> old_key = {"old"}, keys = {"new", "old"}, new_key = {"new"};
  EXPECT_EQ(imports::key_of_imports(connection, new_key, true), "new");
  EXPECT_EQ(imports::key_of_imports(connection, old_key, false), "old");
  EXPECT_EQ(imports::key_of_imports(connection, keys, false), "old");
  EXPECT_FALSE(imports::key_of_imports(connection, new_key, false));
}

}  // namespace
