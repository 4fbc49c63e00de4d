#include "rollups/exact_checks.h"

#include <utility>

#include "base/timestamp.h"
#include "rollups/shortened_activity.h"
#include "rollups/totals_reader.h"

namespace rollups {
namespace {

const std::string kLimit = " LIMIT " + std::to_string(kMaxMismatches);

std::string bin_list(const std::string& before, const std::string& after,
                     const std::string& separator) {
  std::string text;
  for (std::size_t i = 0; i < model::Totals::kBins; ++i) {
    if (i > 0) text += separator;
    text += before + "bin" + std::to_string(i) + after;
  }
  return text;
}

// A vote's bins as columns: model::bin_of in SQL.
std::string bins_of_a_vote() {
  std::string text;
  for (std::size_t i = 0; i < model::Totals::kBins; ++i) {
    if (i > 0) text += ", ";
    text += "(CASE category WHEN 1 THEN (value + 1000) DIV 200 ELSE (value + 50) DIV 100 END) = " +
            std::to_string(i) + " AS bin" + std::to_string(i);
  }
  return text;
}

std::string votes_of_day(const std::string& prefix) {
  return prefix +
         "ratingd_votes FORCE INDEX (by_time) WHERE held = 0 AND rated_at >= ? AND rated_at < ?";
}

// The sums of votes and aggregates minus those of the rollup: groups that are not zero.
std::string daily_text(const std::string& prefix) {
  const std::string all = bin_list("", "", " + ");
  return "SELECT object_type, object_id, category FROM ("
         "SELECT object_id, object_type, category, value AS sum, 1 AS total,"
         " value > 0 AS positive, value < 0 OR category = 0 AND value = 0 AS negative FROM " +
         votes_of_day(prefix) + " UNION ALL SELECT object_id, object_type, category, sum, " + all +
         ", CASE category WHEN 2 THEN " + all +
         " - bin0 ELSE bin10 END, CASE category WHEN 2 THEN 0 ELSE bin0 END FROM " + prefix +
         "ratingd_balances WHERE day = ? UNION ALL SELECT object_id, object_type, category, -sum,"
         " -total, -positive, -negative FROM " +
         prefix +
         "ratingd_daily WHERE category IN (0, 1, 2) AND day = ?) AS difference"
         " GROUP BY object_id, object_type, category"
         " HAVING SUM(sum) <> 0 OR SUM(total) <> 0 OR SUM(positive) <> 0 OR SUM(negative) <> 0" +
         kLimit;
}

std::string site_daily_text(const std::string& prefix) {
  return "SELECT object_type, '', category FROM (SELECT object_type, category, value AS sum, " +
         bins_of_a_vote() + " FROM " + votes_of_day(prefix) +
         " UNION ALL SELECT object_type, category, sum, " + bin_columns() + " FROM " + prefix +
         "ratingd_balances WHERE day = ? UNION ALL SELECT object_type, category, -sum, " +
         bin_list("-", "", ", ") + " FROM " + prefix +
         "ratingd_site_daily WHERE day = ?) AS difference GROUP BY object_type, category"
         " HAVING SUM(sum) <> 0 OR " +
         bin_list("SUM(", ") <> 0", " OR ") + kLimit;
}

std::string user_daily_text(const std::string& prefix) {
  return "SELECT object_type, user_id, category FROM (SELECT voter AS user_id, category,"
         " object_type, value AS sum, 1 AS total FROM " +
         votes_of_day(prefix) + " AND voter < " + std::to_string(model::kAnonymousBit) +
         " UNION ALL SELECT user_id, category, object_type, -sum, -total FROM " + prefix +
         "ratingd_user_daily WHERE day = ?) AS difference GROUP BY user_id, category, object_type"
         " HAVING SUM(sum) <> 0 OR SUM(total) <> 0" +
         kLimit;
}

std::string users_text(const std::string& prefix) {
  return "SELECT 'user', user_id, category FROM (SELECT voter AS user_id, category, value AS sum,"
         " 1 AS total FROM " +
         prefix +
         "ratingd_votes FORCE INDEX (by_voter) WHERE held = 0 AND voter >= ? AND voter < ?"
         " UNION ALL SELECT user_id, category, -sum, -total FROM " +
         prefix +
         "ratingd_users WHERE user_id >= ? AND user_id < ?) AS difference"
         " GROUP BY user_id, category HAVING SUM(sum) <> 0 OR SUM(total) <> 0" +
         kLimit;
}

std::string voter_text(const std::string& prefix) {
  return "SELECT v.category, v.rated_at, known.last_day FROM " + prefix +
         "ratingd_votes v FORCE INDEX (by_voter) LEFT JOIN " + prefix +
         "ratingd_voters known ON known.voter = v.voter WHERE v.held = 0 AND v.voter = ? AND NOT " +
         activity_is_shortened(prefix) + " ORDER BY v.rated_at DESC" + kLimit;
}

std::string activity_pairs_text(const std::string& prefix) {
  return "SELECT 'all', '', 0, day FROM ("
         "SELECT day, SUM(voters) AS voters FROM " +
         prefix +
         "ratingd_reach GROUP BY day UNION ALL"
         " SELECT previous_day, -SUM(voters) FROM " +
         prefix + "ratingd_reach GROUP BY previous_day UNION ALL SELECT last_day, -COUNT(*) FROM " +
         prefix +
         "ratingd_voters GROUP BY last_day) AS difference WHERE day > '1000-01-01' GROUP BY day"
         " HAVING SUM(voters) <> 0" +
         kLimit;
}

std::string category_in(const db::Rows& row, unsigned column) {
  return std::string(model::name_of(static_cast<model::Category>(row.integer(column))));
}

}  // namespace

ExactChecks::ExactChecks(db::Connection& connection, const std::string& table_prefix,
                         base::Zone zone)
    : connection_(connection),
      zone_(std::move(zone)),
      daily_(daily_text(table_prefix)),
      site_daily_(site_daily_text(table_prefix)),
      user_daily_(user_daily_text(table_prefix)),
      users_(users_text(table_prefix)),
      voter_(voter_text(table_prefix)),
      activity_pairs_(activity_pairs_text(table_prefix)),
      find_shortened_("SELECT " + activity_is_shortened(table_prefix)) {}

bool ExactChecks::is_activity_shortened() {
  db::Rows row = connection_.query(find_shortened_);
  return row.next() && row.integer(1) != 0;
}

std::vector<RollupMismatch> ExactChecks::daily(base::Day day) {
  return of_day("daily", daily_, day, 2);
}

std::vector<RollupMismatch> ExactChecks::site_daily(base::Day day) {
  return of_day("site_daily", site_daily_, day, 2);
}

std::vector<RollupMismatch> ExactChecks::user_daily(base::Day day) {
  return of_day("user_daily", user_daily_, day, 1);
}

std::vector<RollupMismatch> ExactChecks::of_day(const char* rollup, const std::string& text,
                                                base::Day day, int tables_with_days) {
  db::Statement& statement = connection_.prepare(text);
  statement.bind(zone_.start_of(day)).bind(zone_.start_of(day + std::chrono::days(1)));
  for (int i = 0; i < tables_with_days; ++i) statement.bind(day);
  std::vector<RollupMismatch> found;
  for (db::Rows row = statement.query(); row.next();) {
    found.push_back({rollup, row.text(1) + " " + row.text(2) + " " + category_in(row, 3) + " " +
                                 base::to_date(day)});
  }
  return found;
}

std::vector<RollupMismatch> ExactChecks::users(std::uint64_t first, std::uint64_t end) {
  db::Rows row = connection_.prepare(users_).bind(first).bind(end).bind(first).bind(end).query();
  std::vector<RollupMismatch> found;
  while (row.next()) {
    found.push_back({"users", row.text(1) + " " + row.text(2) + " " + category_in(row, 3) + " "});
  }
  return found;
}

std::vector<RollupMismatch> ExactChecks::voter(model::VoterId voter) {
  db::Rows row = connection_.prepare(voter_).bind(voter).query();
  std::vector<RollupMismatch> found;
  while (row.next()) {
    const base::Day day = zone_.day_of(row.time(2));
    if (!row.is_null(3) && day <= row.day(3)) break;
    found.push_back({"voters", "voter " + std::to_string(voter) + " " + category_in(row, 1) + " " +
                                   base::to_date(day)});
  }
  return found;
}

std::vector<RollupMismatch> ExactChecks::activity_pairs() {
  std::vector<RollupMismatch> found;
  for (db::Rows row = connection_.query(activity_pairs_); row.next();) {
    found.push_back(
        {"reach", row.text(1) + " " + row.text(2) + " " + category_in(row, 3) + " " + row.text(4)});
  }
  return found;
}

}  // namespace rollups
