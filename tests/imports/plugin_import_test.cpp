#include "imports/plugin_import.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "db/lease.h"
#include "store/grants.h"
#include "support/tests_folder.h"
#include "support/voting.h"
#include "transfer/locks.h"

namespace {

using imports::Plugin;
using imports::PluginReport;
using imports::Refusals;
using transfer::MergeCounts;
using Lines = std::vector<std::string>;
using namespace std::chrono_literals;

constexpr const char* kNoObject = "the site does not have its object any more";

// Imports from fixtures, with the rights that "ratingctl grants --from" gives.
class PluginImport : public support::Voting {
 protected:
  PluginImport() { load("site"); }

  // Loads the fixture "name" into the database.
  void load(const std::string& name) {
    const std::string text = support::text_in_tests("imports/plugins/" + name + ".sql");
    for (const std::string& statement : db::statements_of(text)) owner_.execute(statement);
  }
  void load_with_rights(const Plugin& plugin) {
    load(std::string(plugin.name));
    grant(plugin);
  }
  void grant(const Plugin& plugin) {
    for (const auto& right : db::statements_of(imports::plugin_grants(database_.names(), plugin))) {
      try {
        owner_.execute(right);
      } catch (const db::Failure& failure) {
        EXPECT_EQ(failure.code(), 1146) << failure.what();  // no such table
      }
    }
  }

  db::Endpoint ratingctl() const {
    db::Endpoint endpoint = database_.endpoint();
    const std::string& account = database_.names().ratingctl;
    endpoint.user = account.substr(0, account.find('@'));
    return endpoint;
  }
  imports::PluginImport::Settings settings(bool is_dry = false) const {
    return {.users_table = support::kPrefix + "users",
            .voter_key = "key",
            .now = support::kNoon,
            .facets = facets_,
            .is_dry = is_dry};
  }
  PluginReport import(const Plugin& plugin, bool is_dry = false) {
    db::Connection connection(ratingctl());
    const auto tables = imports::find_tables(connection, plugin);
    EXPECT_TRUE(tables.is_enough);
    imports::PluginImport import(connection, plugin, settings(is_dry));
    return import.run(tables, progress_);
  }
  // Runs a dry run, the import, and the import again: the first stores nothing and reports what the
  // second does, and the third finds nothing new.
  PluginReport import_thrice(const Plugin& plugin) {
    const PluginReport dry = import(plugin, true);
    EXPECT_EQ(everything(), Lines());
    PluginReport first = import(plugin);
    EXPECT_EQ(dry, first);
    expect_verified();
    const Lines stored = everything();
    const PluginReport second = import(plugin);
    EXPECT_EQ(second.ratings, transfer::MergeCounts{.kept = all(first.ratings)});
    EXPECT_EQ(second.aggregates, transfer::MergeCounts{.kept = all(first.aggregates)});
    EXPECT_EQ(second.refused, first.refused);
    EXPECT_EQ(everything(), stored);
    expect_verified();
    return first;
  }
  static std::size_t all(const transfer::MergeCounts& counts) {
    return counts.added + counts.changed + counts.kept + counts.rolled_up;
  }

  Lines lines(const std::string& query) {
    Lines result;
    for (db::Rows row = owner_.query(query); row.next();) result.push_back(row.text(1));
    return result;
  }
  Lines everything() {
    Lines all = ratings();
    for (const Lines& more : {aggregates(), active_voters()}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }
  // "post 1 scale 7 800 2026-01-10 12:00:00": whose vote for what, its value, and when.
  Lines ratings() {
    return lines(
        "SELECT CONCAT_WS(' ', object_type, object_id, ELT(category + 1, 'binary', 'bipolar',"
        " 'scale'), IF(voter < 1 << 63, voter, 'anonymous'), value, CAST(rated_at AS DATETIME(0)))"
        " AS line FROM wp_ratingd_votes ORDER BY line");
  }
  // "post 1 scale 2025-01-01 yasr 8600: 7 x 8, 3 x 10": the sum, and the bins that are not empty.
  Lines aggregates() {
    std::string bins;
    for (int i = 0; i < 11; ++i) {
      const std::string bin = "bin" + std::to_string(i);
      bins += ", IF(" + bin + " = 0, NULL, CONCAT(" + bin + ", ' x " + std::to_string(i) + "'))";
    }
    return lines(
        "SELECT CONCAT(CONCAT_WS(' ', object_type, object_id, ELT(category + 1, 'binary',"
        " 'bipolar', 'scale'), day, source, sum), ': ', CONCAT_WS(', '" +
        bins + ")) AS line FROM wp_ratingd_balances ORDER BY line");
  }
  Lines active_voters() {
    return lines("SELECT CONCAT_WS(' ', voter, last_day) FROM wp_ratingd_voters ORDER BY voter");
  }
  std::int64_t anonymous_voters() {
    return number("SELECT COUNT(DISTINCT voter) FROM wp_ratingd_votes WHERE voter >= 1 << 63");
  }

  model::FacetNames facets_;
  db::Connection owner_{database_.owner()};
  imports::PluginImport::Progress progress_ = [](std::string_view, std::uint64_t, std::uint64_t) {};
};

TEST_F(PluginImport, FromRatePress) {
  load_with_rights(imports::ratepress::kPlugin);
  const PluginReport report = import_thrice(imports::ratepress::kPlugin);
  EXPECT_EQ(report.votes, 15);
  EXPECT_EQ(report.anonymous, 5);
  EXPECT_EQ(report.ratings, (transfer::MergeCounts{.added = 8, .changed = 1}));
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
      {imports::kOutOfRange, {2, {"post 3 (row 12)", "post 3 (row 13)"}}},
      {"its time lies ahead", {1, {"post 3 (row 14)"}}},
      {"it has no time", {1, {"post 3 (row 15)"}}}};
  EXPECT_EQ(report.refused, refused);
}

TEST_F(PluginImport, FromWpPostRatings) {
  load_with_rights(imports::wp_postratings::kPlugin);
  const PluginReport report = import_thrice(imports::wp_postratings::kPlugin);
  EXPECT_EQ(report.votes, 8);
  EXPECT_EQ(report.ratings, (transfer::MergeCounts{.added = 3, .changed = 1}));
  EXPECT_EQ(ratings(), (Lines{"post 1 scale 7 1000 2026-01-10 12:00:00",
                              "post 1 scale anonymous 800 2026-01-10 13:00:00",
                              "post 2 scale anonymous 200 2026-07-10 11:00:00"}));
  EXPECT_EQ(anonymous_voters(), 1);
  EXPECT_EQ(aggregates(), Lines{"post 1 scale 2025-01-01 wp-postratings 2800: 2 x 6, 2 x 8"});
  EXPECT_EQ(report.objects, 1);
  EXPECT_EQ(report.votes_in_sums, 4);
  EXPECT_EQ(report.refused.at(imports::kNoSums), (Refusals{1, {"post 3"}}));
  EXPECT_EQ(report.refused.at(imports::kOutOfRange).count, 2);
}

TEST_F(PluginImport, ThumbsOfWpPostRatingsAreBipolar) {
  load_with_rights(imports::wp_postratings::kPlugin);
  owner_.execute("DELETE FROM wp_ratings WHERE rating_id > 2");
  owner_.execute("UPDATE wp_ratings SET rating_rating = IF(rating_id = 1, 1, -1)");
  owner_.execute("DELETE FROM wp_postmeta WHERE post_id > 1");
  owner_.execute("UPDATE wp_postmeta SET meta_value = 1 WHERE meta_key = 'ratings_score'");
  // The options of version 2.
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
  load_with_rights(imports::kk_star_ratings::kPlugin);
  const PluginReport report = import_thrice(imports::kk_star_ratings::kPlugin);
  EXPECT_EQ(aggregates(), (Lines{"post 1 scale 2025-01-01 kk-star-ratings 2800: 2 x 6, 2 x 8",
                                 "post 2 scale 2025-02-02 kk-star-ratings 1667: 1 x 4, 2 x 6"}));
  EXPECT_EQ(report.objects, 2);
  EXPECT_EQ(report.votes_in_sums, 7);
  EXPECT_EQ(report.refused.at(imports::kNoSums), (Refusals{1, {"post 3"}}));
  EXPECT_EQ(report.refused.size(), 2U);  // and the second rating of post 1
}

TEST_F(PluginImport, KkStarRatingsStoredTheSitesStarsInVersion2) {
  load_with_rights(imports::kk_star_ratings::kPlugin);
  owner_.execute("DELETE FROM wp_postmeta WHERE post_id = 1");
  owner_.execute(
      "INSERT INTO wp_options (option_name, option_value) VALUES ('kksr_ver', '2.6.5'),"
      " ('kksr_stars', '10')");
  import_thrice(imports::kk_star_ratings::kPlugin);
  EXPECT_EQ(aggregates(), (Lines{"post 2 scale 2025-02-02 kk-star-ratings 833: 1 x 2, 2 x 3",
                                 "post 3 scale 2025-03-01 kk-star-ratings 600: 1 x 6"}));
}

TEST_F(PluginImport, SumsAreSetAndStayOnTheirDay) {
  load_with_rights(imports::kk_star_ratings::kPlugin);
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
  load_with_rights(imports::yasr::kPlugin);
  const PluginReport report = import_thrice(imports::yasr::kPlugin);
  EXPECT_EQ(ratings(), (Lines{"post 1 scale 7 1000 2026-01-10 12:00:00",
                              "post 1 scale anonymous 400 2026-01-12 12:00:00",
                              "post 2 scale anonymous 600 2026-01-10 12:00:00",
                              "post 2 scale anonymous 700 2026-01-10 12:00:00"}));
  EXPECT_EQ(aggregates(), Lines{"post 1 scale 2025-01-01 yasr 8600: 7 x 8, 3 x 10"});
  EXPECT_EQ(report.refused.at(imports::kOutOfRange).count, 2);
  EXPECT_EQ(report.refused.at("the log has more votes than were counted"),
            (Refusals{1, {"post 2"}}));
  const Refusals of_multi_sets =
      report.refused.at("it is of a multi set, and the setting facets does not name its field");
  EXPECT_EQ(
      of_multi_sets,
      (Refusals{
          7, {"post:taste-smell 1 (row 1)", "post:service 1 (row 2)", "post:service 1 (row 3)"}}));
}

TEST_F(PluginImport, FromMultiSetsOfYasr) {
  facets_ = {"taste-smell", "service"};
  load_with_rights(imports::yasr::kPlugin);
  owner_.execute("DELETE FROM wp_yasr_log");
  owner_.execute("DELETE FROM wp_yasr_votes");
  const PluginReport report = import_thrice(imports::yasr::kPlugin);
  EXPECT_EQ(ratings(), (Lines{"post:service 1 scale 7 800 2026-01-10 12:00:00",
                              "post:service 1 scale anonymous 400 2026-01-12 12:00:00",
                              "post:taste-smell 1 scale 7 1000 2026-01-10 12:00:00"}));
  EXPECT_EQ(report.refused.at(imports::kOutOfRange), (Refusals{1, {"post:taste-smell 2 (row 7)"}}));
  EXPECT_EQ(
      report.refused.at("it is of a multi set, and the setting facets does not name its field")
          .examples,
      (Lines{"post:price 2 (row 5)", "post: 2 (row 6)"}));
}

// Version 0.9.3 had fields, but no log of their votes.
TEST_F(PluginImport, FromYasrWithoutMultiSets) {
  facets_ = {"service"};
  load_with_rights(imports::yasr::kPlugin);
  owner_.execute("DROP TABLE wp_yasr_multi_set_fields");
  EXPECT_EQ(import(imports::yasr::kPlugin).votes, 9);
  owner_.execute("DROP TABLE wp_yasr_log_multi_set");
  EXPECT_EQ(import(imports::yasr::kPlugin).votes, 9);
}

TEST_F(PluginImport, FromShurikenReviews) {
  load_with_rights(imports::shuriken_reviews::kPlugin);
  const PluginReport report = import_thrice(imports::shuriken_reviews::kPlugin);
  EXPECT_EQ(report.ratings, (transfer::MergeCounts{.added = 7, .changed = 1}));
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
}

TEST_F(PluginImport, FromWpUlike) {
  load_with_rights(imports::wp_ulike::kPlugin);
  const PluginReport report = import_thrice(imports::wp_ulike::kPlugin);
  EXPECT_EQ(report.votes, 13);
  EXPECT_EQ(report.ratings, (transfer::MergeCounts{.added = 6, .changed = 1, .kept = 2}));
  EXPECT_EQ(ratings(), (Lines{"activity 500 binary 7 1000 2026-01-10 12:00:00",
                              "comment 11 binary 7 1000 2026-01-10 12:00:00",
                              "post 1 binary 7 1000 2025-01-10 12:00:00",
                              "post 1 binary anonymous 0 2026-01-10 12:00:00",
                              "post 2 binary anonymous 0 2026-01-11 12:00:00",
                              "post 3 binary anonymous 1000 2026-01-10 12:00:00"}));
  EXPECT_EQ(report.refused.at("its voter took it back").count, 2);
}

TEST_F(PluginImport, FromRestLikes) {
  load_with_rights(imports::rest_likes::kPlugin);
  const PluginReport report = import_thrice(imports::rest_likes::kPlugin);
  EXPECT_EQ(aggregates(), (Lines{"comment 11 binary 2025-04-01 rest-likes 3000: 3 x 10",
                                 "post 1 binary 2025-01-01 rest-likes 12000: 12 x 10"}));
  EXPECT_EQ(report.refused.at(imports::kNoNumber), (Refusals{1, {"post 3"}}));
}

// Authors of posts may write such post meta.
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

// A site may have changed the types of a plugin's columns.
TEST_F(PluginImport, TextsOfVotesHaveALimit) {
  load("yasr");
  owner_.execute(
      "ALTER TABLE wp_yasr_log MODIFY vote LONGTEXT, MODIFY date LONGTEXT,"
      " MODIFY ip LONGTEXT, MODIFY post_id LONGTEXT");
  owner_.execute("UPDATE wp_yasr_log SET vote = CONCAT('1.', REPEAT('0', 1000000)) WHERE id = 1");
  owner_.execute("UPDATE wp_yasr_log SET date = CONCAT(date, REPEAT(' ', 1000000)) WHERE id = 2");
  owner_.execute("UPDATE wp_yasr_log SET ip = REPEAT('1', 1000000) WHERE id = 3");
  owner_.execute("UPDATE wp_yasr_log SET post_id = REPEAT('1', 1000000) WHERE id = 4");
  grant(imports::yasr::kPlugin);
  const PluginReport report = import(imports::yasr::kPlugin);
  EXPECT_EQ(report.refused.at(imports::kNoNumber).count, 1);
  EXPECT_EQ(report.refused.at("there is no such object").count, 1);
  expect_verified();
}

TEST_F(PluginImport, NewerVotesOfEitherSideWin) {
  load_with_rights(imports::yasr::kPlugin);
  import(imports::yasr::kPlugin);
  votes::VoteRequest vote_request = support::vote(7, 200, model::Category::scale);
  vote_request.key.object = {1, "post"};
  ASSERT_TRUE(writer_.write(vote_request));
  owner_.execute("INSERT INTO wp_yasr_log VALUES (20, 1, 8, 5, '2026-02-01 12:00:00', '')");
  owner_.execute("UPDATE wp_yasr_log SET vote = 1, date = '2026-02-01 12:00:00' WHERE id = 3");
  const PluginReport report = import(imports::yasr::kPlugin);
  EXPECT_EQ(report.ratings, (transfer::MergeCounts{.added = 1, .changed = 1, .kept = 4}));
  EXPECT_EQ(ratings(), (Lines{"post 1 scale 7 200 2026-11-21 12:00:00",
                              "post 1 scale 8 1000 2026-02-01 12:00:00",
                              "post 1 scale anonymous 200 2026-02-01 12:00:00",
                              "post 2 scale anonymous 600 2026-01-10 12:00:00",
                              "post 2 scale anonymous 700 2026-01-10 12:00:00"}));
  expect_verified();
}

TEST_F(PluginImport, MoreThanASliceIsTakenOverWhole) {
  load_with_rights(imports::yasr::kPlugin);
  owner_.execute("DELETE FROM wp_yasr_log");
  owner_.execute("DELETE FROM wp_yasr_log_multi_set");
  owner_.execute("DROP TABLE wp_yasr_votes");
  owner_.execute(
      "INSERT INTO wp_yasr_log WITH digits AS (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2"
      " UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL"
      " SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9), numbers AS (SELECT 1 + a.d + 10 * b.d +"
      " 100 * c.d + 1000 * d.d AS n FROM digits a, digits b, digits c, digits d)"
      " SELECT n, 1 + n % 3, 0, 1 + n % 5, '2026-01-10 12:00:00', CONCAT('visitor ', n % 4000)"
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
  load_with_rights(imports::ratepress::kPlugin);
  owner_.execute("INSERT INTO wp_ratingd_state (name, value) VALUES ('cleaning_all', 'now/0/1')");
  EXPECT_THROW(import(imports::ratepress::kPlugin), db::Busy);
  EXPECT_EQ(everything(), Lines());
}

TEST_F(PluginImport, RunsBesideNoOtherChangeOfManyRatings) {
  load_with_rights(imports::ratepress::kPlugin);
  int slices = 0;
  progress_ = [&](std::string_view, std::uint64_t, std::uint64_t) {
    ++slices;
    db::Connection other(ratingctl());
    EXPECT_THROW(static_cast<void>(transfer::lock_changes(other, 0s)), db::Busy);
  };
  const PluginReport report = import(imports::ratepress::kPlugin);
  EXPECT_GT(report.ratings.added, 0U);
  EXPECT_GT(slices, 0);
}

TEST_F(PluginImport, InPartsIsTheSame) {
  load_with_rights(imports::yasr::kPlugin);
  const PluginReport whole = import(imports::yasr::kPlugin, true);
  db::Connection connection(ratingctl());
  const auto tables = imports::find_tables(connection, imports::yasr::kPlugin);
  std::vector<imports::PluginImport::Position> positions = {{}};
  transfer::MergeCounts ratings, sums;
  std::int64_t refused = 0;
  for (std::optional next = positions.front(); next;) {
    imports::PluginImport part(connection, imports::yasr::kPlugin, settings());
    const auto done = part.run_part(tables, *next, 0ms, progress_);
    ratings += done.report.ratings;
    sums += done.report.aggregates;
    for (const auto& [reason, refusals] : done.report.refused) refused += refusals.count;
    next = done.next;
    if (next) positions.push_back(*next);
  }
  EXPECT_EQ(ratings, whole.ratings);
  EXPECT_EQ(sums, whole.aggregates);
  std::int64_t refused_in_all = 0;
  for (const auto& [reason, refusals] : whole.refused) refused_in_all += refusals.count;
  EXPECT_EQ(refused, refused_in_all);
  EXPECT_EQ(positions, (std::vector<imports::PluginImport::Position>{{}, {0, 9}, {1, 7}, {2, 2}}));
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
  load_with_rights(imports::ratepress::kPlugin);
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

TEST(PluginVoters, AreTheSameForTheSameAndAnonymous) {
  const imports::PluginVoters voters("key"), others("another key");
  const model::VoterId voter = voters.voter("yasr", "visitor", "192.0.2.1");
  EXPECT_TRUE(model::is_anonymous(voter));
  EXPECT_EQ(voter, voters.voter("yasr", "visitor", "192.0.2.1"));
  EXPECT_NE(voter, voters.voter("yasr", "visitor", "192.0.2.2"));
  EXPECT_NE(voter, voters.voter("yasr", "user", "192.0.2.1"));
  EXPECT_NE(voter, voters.voter("ratepress", "visitor", "192.0.2.1"));
  EXPECT_NE(voter, others.voter("yasr", "visitor", "192.0.2.1"));
}

TEST(PluginTimes, AreOfTheSitesClocks) {
  const base::Zone berlin = base::Zone::named("Europe/Berlin").value();
  const auto utc = [](const char* text) { return imports::utc_time(text, {}); };
  EXPECT_EQ(imports::site_time("2026-01-10 13:00:00", berlin), utc("2026-01-10 12:00:00"));
  EXPECT_EQ(imports::site_time("2026-07-10 13:00:00", berlin), utc("2026-07-10 11:00:00"));
  // The clocks go back from 3 to 2: an ambiguous time is one of the two.
  EXPECT_EQ(imports::site_time("2026-10-25 01:59:59", berlin), utc("2026-10-24 23:59:59"));
  EXPECT_EQ(imports::site_time("2026-10-25 02:30:00", berlin), utc("2026-10-25 01:30:00"));
  EXPECT_EQ(imports::site_time("2026-10-25 03:00:00", berlin), utc("2026-10-25 02:00:00"));
  EXPECT_EQ(imports::unix_time("0", {}), std::nullopt);
  EXPECT_EQ(imports::unix_time("1e9", {}), std::nullopt);
  EXPECT_EQ(imports::utc_time("0000-00-00 00:00:00", {}), std::nullopt);
}

TEST(PluginSums, KeepNumberAndSum) {
  const auto sums = imports::scale_sums(3, 8, 5).value().sums;
  EXPECT_EQ(sums.total(), 3);
  EXPECT_EQ(sums.sum, 1600);
  EXPECT_EQ(sums.bins[4], 1);
  EXPECT_EQ(sums.bins[6], 2);
  EXPECT_EQ(imports::scale_sums(2, 10, 5).value().sums.bins[10], 2);
  EXPECT_EQ(imports::scale_sums(2, 0, 5).value().sums.bins[0], 2);
  EXPECT_FALSE(imports::scale_sums(0, 0, 5));
  EXPECT_FALSE(imports::scale_sums(2, -1, 5));
  EXPECT_FALSE(imports::scale_sums(2, 10.1, 5));
}

}  // namespace
