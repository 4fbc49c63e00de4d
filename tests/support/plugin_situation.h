#pragma once

#include <string>

#include "support/plugin_votes.h"

namespace support {

inline constexpr const char* kTime = "2026-01-10 12:00:00";
inline constexpr const char* kNoTime = "0000-00-00 00:00:00";

// Fills a rating plugin's tables row by row.
class PluginSituation : public PluginVotes {
 protected:
  // Returns the figures that ratingd shows for an object, such as "6 x 4.50" for 6 votes with an
  // average of 4.50 stars.
  std::string shown(std::uint64_t object, double highest = 5, const std::string& type = "post") {
    const auto found = lines(
        "SELECT CONCAT(SUM(bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9"
        " + bin10), ' x ', ROUND(SUM(sum) * " +
        std::to_string(highest) +
        " / 1000 / SUM(bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9"
        " + bin10), 2)) FROM wp_ratingd_totals WHERE object_id = " +
        std::to_string(object) + " AND object_type = '" + type + "' HAVING COUNT(*) > 0");
    return found.empty() ? "nothing" : found.front();
  }
  std::int64_t rating_count() { return number("SELECT COUNT(*) FROM wp_ratingd_votes"); }
  void set_option(const std::string& name, const std::string& value) {
    owner_.execute("DELETE FROM wp_options WHERE option_name = ?", name);
    owner_.execute("INSERT INTO wp_options (option_name, option_value) VALUES (?, ?)", name, value);
  }
  void set_meta(std::int64_t post, const std::string& key, const std::string& value) {
    owner_.execute("INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (?, ?, ?)", post,
                   key, value);
  }
  // Creates the plugin's empty tables.
  void make_tables(const Plugin& plugin) {
    load_with_privileges(plugin);
    for (const std::string& table : lines("SELECT table_name FROM information_schema.tables WHERE"
                                          " table_schema = DATABASE() AND table_name LIKE 'wp\\_%'"
                                          " AND table_name NOT LIKE 'wp\\_ratingd\\_%'")) {
      const bool is_of_site = table == "wp_posts" || table == "wp_users" || table == "wp_options" ||
                              table == "wp_comments";
      if (!is_of_site) owner_.execute("DELETE FROM " + table);
    }
  }
  // Creates the "numbers" table, whose "n" column contains the numbers 1 to 100000.
  void make_numbers() {
    owner_.execute("CREATE TABLE numbers (n INT PRIMARY KEY)");
    owner_.execute(
        "INSERT INTO numbers WITH digits AS (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2"
        " UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL"
        " SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) SELECT 1 + a.d + 10 * b.d + 100 * c.d +"
        " 1000 * d.d + 10000 * e.d FROM digits a, digits b, digits c, digits d, digits e");
  }
  // Adds an anonymous visitor's rating to the log of WP-PostRatings.
  void postrating(std::int64_t post, std::int64_t stars, const std::string& address,
                  const std::string& time = "1768050000") {
    owner_.execute(
        "INSERT INTO wp_ratings (rating_postid, rating_posttitle, rating_rating, rating_timestamp,"
        " rating_ip, rating_host, rating_username, rating_userid) VALUES"
        " (?, '', ?, ?, ?, '', 'Guest', 0)",
        post, stars, time, address);
  }
  // Adds a like of post 1 to WP ULike's log.
  void ulike(const std::string& user, const std::string& status = "like") {
    owner_.execute(
        "INSERT INTO wp_ulike (post_id, date_time, ip, user_id, status)"
        " VALUES (1, ?, '192.0.2.1', ?, ?)",
        std::string(kTime), user, status);
  }
  // Adds a rating of post 1 to YASR's log.
  void yasr(double vote, const std::string& date, const std::string& ip, int user = 0) {
    owner_.execute("INSERT INTO wp_yasr_log (post_id, user_id, vote, date, ip) VALUES (1, ?, " +
                       std::to_string(vote) + ", ?, ?)",
                   std::int64_t{user}, date, ip);
  }
};

}  // namespace support
