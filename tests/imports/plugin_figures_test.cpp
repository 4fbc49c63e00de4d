// Tests lib/imports/plugin_import.h. Compares each object's number of ratings and average rating in
// each plugin with the imported data.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <ostream>

#include "base/clock.h"
#include "support/plugin_situation.h"

namespace {

using support::Lines;

// Describes the figures that a plugin shows on the pages of a site.
struct OnPages {
  const imports::Plugin* plugin;
  double highest;  // the highest value on the plugin's scale
  // A query that returns lines such as "post 1 scale: 4 x 3.50" with the figures that the plugin
  // computes.
  std::string shown;
  // The expected result of the query "shown" for the plugin's fixture.
  Lines in_plugin;
  Lines differing = {};  // our lines that differ from the plugin's
  // Statements that fill the plugin's empty tables with 100,000 votes on posts 1 to 1000. The
  // statements read the "numbers" table.
  std::vector<std::string> fill;
};

// GoogleTest calls this function to print the plugin's name when a test fails.
void PrintTo(const OnPages& on_pages, std::ostream* out) { *out << on_pages.plugin->name; }

class PluginFigures : public support::PluginSituation,
                      public ::testing::WithParamInterface<OnPages> {
 protected:
  Lines ours() {
    constexpr const char* kVotes =
        "(bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9 + bin10)";
    const std::string highest = std::to_string(GetParam().highest);
    return sorted_lines(
        "SELECT CONCAT(object_type, ' ', object_id, ' ', ELT(category + 1, 'binary', 'bipolar',"
        " 'scale'), ': ', " +
        std::string(kVotes) + ", ' x ', CAST(sum * IF(category = 2, " + highest + ", 1) / 1000 / " +
        kVotes + " AS DECIMAL(12, 2))) FROM wp_ratingd_totals WHERE " + kVotes + " > 0");
  }
  Lines sorted_lines(const std::string& query) {
    Lines found = lines(query);
    std::ranges::sort(found);
    return found;
  }
  // Returns the objects, such as "post 1", whose lines differ between the lists "one" and "other".
  static Lines differing_objects(const Lines& one, const Lines& other) {
    Lines differing;
    std::ranges::set_symmetric_difference(one, other, std::back_inserter(differing));
    for (std::string& line : differing) {
      line = line.substr(0, line.find(' ', line.find(' ') + 1));
    }
    std::ranges::sort(differing);
    differing.erase(std::unique(differing.begin(), differing.end()), differing.end());
    return differing;
  }
};

// The report contains each object whose number of ratings or average rating differs.
TEST_P(PluginFigures, AreThoseOfThePluginOrNamed) {
  const OnPages& on_pages = GetParam();
  load_with_privileges(*on_pages.plugin);
  const PluginReport report = import_thrice(*on_pages.plugin);
  const Lines in_plugin = sorted_lines(on_pages.shown);
  EXPECT_EQ(in_plugin, on_pages.in_plugin);
  Lines more;
  std::ranges::set_difference(ours(), in_plugin, std::back_inserter(more));
  EXPECT_EQ(more, on_pages.differing);
  for (const std::string& object : differing_objects(in_plugin, ours())) {
    const bool is_in_differences = std::ranges::any_of(
        report.differences, [&](const auto& difference) { return difference.object == object; });
    const bool is_refused = std::ranges::any_of(report.refused, [&](const auto& refused) {
      return std::ranges::any_of(refused.second.examples, [&](const std::string& example) {
        return example == object || example.starts_with(object + " (row ");
      });
    });
    EXPECT_TRUE(is_in_differences || is_refused) << object;
  }
}

std::int64_t peak_of_memory_in_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:"))
      return std::stoll(line.substr(line.find_first_of("0123456789")));
  }
  return 0;
}

// This test takes minutes for all plugins, so it runs only with the following options:
//   imports_test --gtest_also_run_disabled_tests --gtest_filter='*HundredThousand*'
TEST_P(PluginFigures, DISABLED_OfAHundredThousandVotesNeedLittleMemory) {
  const OnPages& on_pages = GetParam();
  make_tables(*on_pages.plugin);
  make_numbers();
  owner_.execute("DELETE FROM wp_posts");
  owner_.execute("DELETE FROM wp_options WHERE option_name <> 'timezone_string'");
  owner_.execute(
      "INSERT INTO wp_posts (ID, post_type, post_date_gmt) SELECT n, 'post',"
      " '2025-01-01 10:00:00' FROM numbers WHERE n <= 1000");
  for (const std::string& statement : on_pages.fill) owner_.execute(statement);
  std::ofstream("/proc/self/clear_refs") << 5;  // resets the peak of memory
  const base::Stopwatch time;
  const PluginReport report = import(*on_pages.plugin);
  const auto seconds = static_cast<double>(time.elapsed().count()) / 1000;
  const std::int64_t peak = peak_of_memory_in_kib();
  std::cout << on_pages.plugin->name << ": " << seconds << " s, " << peak / 1024 << " MiB\n";
  EXPECT_LT(peak, 512 * 1024);
  EXPECT_EQ(report.different, 0);
  const Lines in_plugin = sorted_lines(on_pages.shown);
  EXPECT_EQ(in_plugin.size(), 1000U);
  EXPECT_TRUE(in_plugin == ours());
  EXPECT_EQ(number("SELECT SUM(bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9"
                   " + bin10) FROM wp_ratingd_totals"),
            100'000);
}

// Returns SQL for the first metadata value with the key "key" for the post "p".
std::string meta(const std::string& key) {
  return "(SELECT m.meta_value FROM wp_postmeta AS m WHERE m.post_id = p.ID AND m.meta_key = '" +
         key + "' ORDER BY m.meta_id LIMIT 1)";
}

// Returns a query that selects a line for each post. The figures in the line come from the post's
// metadata.
std::string shown_of_meta(const std::string& votes, const std::string& sum) {
  return "SELECT CONCAT('post ', f.ID, ' scale: ', f.votes, ' x ',"
         " CAST(f.sum / f.votes AS DECIMAL(12, 2))) FROM (SELECT p.ID, " +
         votes + " AS votes, " + sum + " AS sum FROM wp_posts AS p) AS f WHERE f.votes > 0";
}

// Each of a thousand posts has a hundred votes from 1 to 5, each from a different visitor.
const std::string kPost = "1 + n % 1000";
const std::string kStars = "1 + n DIV 1000 % 5";
const std::string kAddress = "CONCAT_WS('.', 10, n DIV 65536, n DIV 256 % 256, n % 256)";
const std::string kWhen = "'2026-01-10 12:00:00' + INTERVAL n SECOND";

std::string fill_meta(const std::string& key, const std::string& value) {
  return "INSERT INTO wp_postmeta (post_id, meta_key, meta_value) SELECT ID, '" + key + "', " +
         value + " FROM wp_posts";
}

OnPages of_ratepress() {
  return {.plugin = &imports::ratepress::kPlugin,
          .highest = 1,
          .shown =
              "SELECT CONCAT(object_type, ' ', object_id, ' ', category, ': ', COUNT(*),"
              " ' x ', CAST(AVG(value) AS DECIMAL(12, 2))) FROM wp_ratepress_ratings"
              " WHERE object_type = 'post' AND object_id IN (SELECT ID FROM wp_posts)"
              " OR object_type = 'comment' AND object_id IN (SELECT comment_ID FROM"
              " wp_comments) GROUP BY object_type, object_id, category",
          .in_plugin = {"comment 11 binary: 1 x 0.00", "post 1 binary: 1 x 1.00",
                        "post 1 scale: 4 x 0.56", "post 2 bipolar: 3 x 0.00",
                        // The following averages are impossible with the values that this plugin
                        // allows.
                        "post 3 binary: 1 x 0.50", "post 3 bipolar: 2 x 1.00",
                        "post 3 scale: 1 x 1.50"},
          .fill = {"INSERT INTO wp_ratepress_ratings (object_id, object_type, user_id, ip,"
                   " category, value, created_at) SELECT " +
                   kPost + ", 'post', 0, " + kAddress + ", 'scale', (n DIV 1000 % 5) / 5, " +
                   kWhen + " FROM numbers"}};
}

OnPages of_wp_postratings() {
  return {
      .plugin = &imports::wp_postratings::kPlugin,
      .highest = 5,
      .shown = shown_of_meta(meta("ratings_users"), meta("ratings_score")),
      // The figures for post 3 are impossible, because 2 votes cannot have 11 stars in total.
      .in_plugin = {"post 1 scale: 7 x 3.71", "post 2 scale: 4 x 3.00", "post 3 scale: 2 x 5.50"},
      .fill = {"INSERT INTO wp_ratings (rating_postid, rating_posttitle, rating_rating,"
               " rating_timestamp, rating_ip, rating_host, rating_username) SELECT " +
                   kPost + ", '', " + kStars + ", 1768050000 + n, " + kAddress +
                   ", '', 'Guest' FROM numbers",
               fill_meta("ratings_users", "100"), fill_meta("ratings_score", "300")}};
}

OnPages of_kk_star_ratings() {
  return {
      .plugin = &imports::kk_star_ratings::kPlugin,
      .highest = 5,
      .shown = shown_of_meta(
          "COALESCE(" + meta("_kksr_count_default") + ", " + meta("_kksr_casts") + ")",
          "COALESCE(" + meta("_kksr_ratings_default") + ", " + meta("_kksr_ratings") + ")"),
      // The figures for post 3 are impossible, because a vote has at most 5 stars.
      .in_plugin = {"post 1 scale: 4 x 3.50", "post 2 scale: 3 x 2.78", "post 3 scale: 1 x 6.00"},
      .fill = {fill_meta("_kksr_count_default", "100"),
               fill_meta("_kksr_ratings_default", "342.5")}};
}

OnPages of_yasr() {
  return {.plugin = &imports::yasr::kPlugin,
          .highest = 5,
          .shown =
              "SELECT CONCAT('post ', post_id, ' scale: ', number_of_votes, ' x ',"
              " CAST(sum_votes / number_of_votes AS DECIMAL(12, 2))) FROM wp_yasr_votes",
          .in_plugin = {"post 1 scale: 13 x 4.15", "post 2 scale: 2 x 3.25"},
          // YASR shows only two votes on post 2, although its log contains three votes.
          .differing = {"post 2 scale: 3 x 3.83"},
          .fill = {"INSERT INTO wp_yasr_log (post_id, user_id, vote, date, ip) SELECT " + kPost +
                       ", 0, " + kStars + ", " + kWhen + ", " + kAddress + " FROM numbers",
                   "INSERT INTO wp_yasr_votes (post_id, overall_rating, number_of_votes,"
                   " sum_votes) SELECT post_id, 0, COUNT(*), SUM(vote) FROM wp_yasr_log"
                   " GROUP BY post_id"}};
}

OnPages of_shuriken_reviews() {
  const std::string kind = " IF(r.rating_type IN ('stars', 'numeric'), ' scale: ', ' binary: '), ";
  return {.plugin = &imports::shuriken_reviews::kPlugin,
          .highest = 5,
          .shown =
              "SELECT CONCAT(IF(v.rating_id IN (2, 4), IF(v.context_type = 'comment', 'comment ',"
              " 'post '), CONCAT('post.shuriken-', v.rating_id, ' ')), v.context_id," +
              kind +
              "COUNT(*), ' x ', CAST(AVG(v.rating_value) AS DECIMAL(12, 2)))"
              " FROM wp_shuriken_votes AS v JOIN wp_shuriken_ratings AS r ON r.id = v.rating_id"
              " WHERE v.context_type = 'comment' OR v.context_id IN (SELECT ID FROM wp_posts)"
              " GROUP BY v.rating_id, v.context_id, v.context_type"
              // Also select the totals of a rating if it has no sub-ratings and no votes on a post
              // or comment.
              " UNION ALL SELECT CONCAT('shuriken ', r.id," +
              kind +
              "r.total_votes, ' x ', CAST(r.total_rating / r.total_votes AS"
              " DECIMAL(12, 2))) FROM wp_shuriken_ratings AS r WHERE r.total_votes > 0 AND NOT"
              " EXISTS (SELECT 1 FROM wp_shuriken_votes AS c WHERE c.rating_id = r.id AND"
              " c.context_id IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM wp_shuriken_ratings AS s"
              " WHERE s.parent_id = r.id)",
          .in_plugin = {"comment 11 binary: 1 x 1.00", "post 1 scale: 2 x 4.25",
                        "post 2 binary: 3 x 1.67", "post.shuriken-3 1 scale: 1 x 2.00",
                        "shuriken 1 scale: 2 x 2.00", "shuriken 5 binary: 3 x 0.67"},
          // One of the plugin's likes has the value 4 and is not imported.
          .differing = {"post 2 binary: 2 x 0.50"},
          .fill = {"INSERT INTO wp_shuriken_ratings (id, name) VALUES (2, 'Posts')",
                   "INSERT INTO wp_shuriken_votes (rating_id, user_ip, rating_value, context_id,"
                   " context_type, date_created, date_modified) SELECT 2, " +
                       kAddress + ", " + kStars + ", " + kPost + ", 'post', " + kWhen + ", " +
                       kWhen + " FROM numbers"}};
}

OnPages of_wp_ulike() {
  return {.plugin = &imports::wp_ulike::kPlugin,
          .highest = 1,
          .shown =
              "SELECT CONCAT(type, ' ', id, ' binary: ', COUNT(DISTINCT user, status), ' x ',"
              " CAST(COUNT(DISTINCT IF(status = 'like', user, NULL)) /"
              " COUNT(DISTINCT user, status) AS DECIMAL(12, 2))) FROM ("
              "SELECT 'post' AS type, post_id AS id, user_id AS user, status FROM wp_ulike"
              " UNION ALL SELECT 'comment', comment_id, user_id, status FROM"
              " wp_ulike_comments UNION ALL SELECT 'activity', activity_id, user_id, status"
              " FROM wp_ulike_activities UNION ALL SELECT 'post', item_id, user_id,"
              " engagement_key FROM wp_ulike_pulse WHERE status = 'active'"
              " AND engagement_kind = 'vote') AS log WHERE status IN ('like', 'dislike')"
              " AND (type <> 'post' OR id IN (SELECT ID FROM wp_posts)) GROUP BY type, id",
          .in_plugin = {"activity 500 binary: 1 x 1.00", "comment 11 binary: 1 x 1.00",
                        "post 1 binary: 2 x 0.50", "post 2 binary: 2 x 0.50",
                        "post 3 binary: 1 x 1.00"},
          .fill = {"INSERT INTO wp_ulike (post_id, date_time, ip, user_id, status) SELECT " +
                   kPost + ", " + kWhen + ", " + kAddress +
                   ", 1000000 + n, IF(n DIV 1000 % 5 = 0, 'dislike', 'like') FROM numbers"}};
}

OnPages of_rest_likes() {
  return {.plugin = &imports::rest_likes::kPlugin,
          .highest = 1,
          .shown =
              "SELECT CONCAT('post ', f.ID, ' binary: ', f.votes, ' x 1.00') FROM (SELECT"
              " p.ID, " +
              meta("_rest_likes") +
              " AS votes FROM wp_posts AS p) AS f WHERE f.votes > 0 UNION ALL SELECT"
              " CONCAT('comment ', comment_id, ' binary: ', meta_value, ' x 1.00')"
              " FROM wp_commentmeta WHERE meta_key = '_rest_likes'",
          .in_plugin = {"comment 11 binary: 3 x 1.00", "post 1 binary: 12 x 1.00"},
          .fill = {fill_meta("_rest_likes", "100")}};
}

OnPages of_rate_my_post() {
  return {
      .plugin = &imports::rate_my_post::kPlugin,
      .highest = 5,
      .shown = shown_of_meta(meta("rmp_vote_count"), meta("rmp_rating_val_sum")),
      .in_plugin = {"post 1 scale: 6 x 3.67", "post 2 scale: 1 x 1.00", "post 3 scale: 10 x 4.50"},
      .fill = {"INSERT INTO wp_rmp_analytics (time, ip, country, user, post, action, duration,"
               " average, votes, value, token) SELECT " +
                   kWhen + ", " + kAddress + ", '0', 0, " + kPost + ", 1, 5, 0, 0, " + kStars +
                   ", '-1' FROM numbers",
               fill_meta("rmp_vote_count", "100"), fill_meta("rmp_rating_val_sum", "300")}};
}

OnPages of_site_reviews() {
  const auto of = [](const std::string& type, const std::string& table, const std::string& id) {
    return "SELECT CONCAT('" + type + " ', a." + id +
           ", ' scale: ', COUNT(*), ' x ', CAST(AVG(r.rating) AS DECIMAL(12, 2))) FROM " + table +
           " AS a JOIN wp_glsr_ratings AS r ON r.ID = a.rating_id WHERE r.is_approved = 1"
           " AND r.rating > 0" +
           (type == "post" ? " AND a.is_published = 1" : "") + " GROUP BY a." + id;
  };
  return {.plugin = &imports::site_reviews::kPlugin,
          .highest = 5,
          .shown = of("post", "wp_glsr_assigned_posts", "post_id") + " UNION ALL " +
                   of("term", "wp_glsr_assigned_terms", "term_id") + " UNION ALL " +
                   of("author", "wp_glsr_assigned_users", "user_id"),
          .in_plugin = {"author 7 scale: 1 x 4.00", "post 1 scale: 4 x 3.50",
                        "post 2 scale: 1 x 5.00", "term 55 scale: 2 x 4.50"},
          .fill = {"INSERT INTO wp_posts (ID, post_type, post_date_gmt) SELECT 10000000 + n,"
                   " 'site-review', " +
                       kWhen + " FROM numbers",
                   "INSERT INTO wp_glsr_ratings (ID, review_id, rating, is_approved, ip_address)"
                   " SELECT n, 10000000 + n, " +
                       kStars + ", 1, " + kAddress + " FROM numbers",
                   "INSERT INTO wp_glsr_assigned_posts SELECT n, " + kPost + ", 1 FROM numbers"}};
}

INSTANTIATE_TEST_SUITE_P(OfEach, PluginFigures,
                         ::testing::Values(of_ratepress(), of_wp_postratings(),
                                           of_kk_star_ratings(), of_yasr(), of_shuriken_reviews(),
                                           of_wp_ulike(), of_rest_likes(), of_rate_my_post(),
                                           of_site_reviews()));

}  // namespace
