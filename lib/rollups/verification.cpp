#include "rollups/verification.h"

#include "model/rating.h"
#include "rollups/day_expression.h"
#include "rollups/rollup_state.h"
#include "rollups/totals_reader.h"

namespace rollups {
namespace {

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

// The sums of votes and aggregates minus those of the rollup: groups that are not zero.
std::string check_totals(const std::string& prefix) {
  return "SELECT object_type, object_id, category, '' FROM ("
         "SELECT object_id, object_type, category, value AS sum, " +
         bins_of_a_vote() + " FROM " + prefix +
         "ratingd_votes WHERE held = 0"
         " UNION ALL SELECT object_id, object_type, category, sum, " +
         bin_columns() + " FROM " + prefix +
         "ratingd_balances"
         " UNION ALL SELECT object_id, object_type, category, -sum, " +
         bin_list("-", "", ", ") + " FROM " + prefix +
         "ratingd_totals) AS difference GROUP BY object_id, object_type, category"
         " HAVING SUM(sum) <> 0 OR " +
         bin_list("SUM(", ") <> 0", " OR ");
}

std::string check_last_rated_at(const std::string& prefix) {
  const std::string columns = "SELECT object_id, object_type, category, ";
  return "SELECT object_type, object_id, category, '' FROM (" + columns +
         "rated_at AS voted_at, NULL AS noted_at FROM " + prefix +
         "ratingd_votes WHERE held = 0 UNION ALL " + columns + "last_rated_at, NULL FROM " +
         prefix + "ratingd_balances UNION ALL " + columns + "NULL, last_rated_at FROM " + prefix +
         "ratingd_totals) AS difference GROUP BY object_id, object_type, category"
         " HAVING MAX(voted_at) <> MAX(noted_at)";
}

// "day" is the day of a vote in SQL, here and below.
std::string check_daily(const std::string& prefix, const std::string& day) {
  const std::string all = bin_list("", "", " + ");
  return "SELECT object_type, object_id, category, day FROM ("
         "SELECT object_id, object_type, category, " +
         day +
         " AS day, value AS sum, 1 AS total, value > 0 AS positive,"
         " value < 0 OR category = 0 AND value = 0 AS negative FROM " +
         prefix +
         "ratingd_votes WHERE held = 0 UNION ALL SELECT object_id, object_type, category, day, "
         "sum, " +
         all + ", CASE category WHEN 2 THEN " + all +
         " - bin0 ELSE bin10 END, CASE category WHEN 2 THEN 0 ELSE bin0 END FROM " + prefix +
         "ratingd_balances UNION ALL SELECT object_id, object_type, category, day, -sum, -total,"
         " -positive, -negative FROM " +
         prefix +
         "ratingd_daily) AS difference GROUP BY object_id, object_type, category, day"
         " HAVING SUM(sum) <> 0 OR SUM(total) <> 0 OR SUM(positive) <> 0 OR SUM(negative) <> 0";
}

std::string check_site_daily(const std::string& prefix, const std::string& day) {
  return "SELECT object_type, '', category, day FROM (SELECT object_type, category, " + day +
         " AS day, value AS sum, " + bins_of_a_vote() + " FROM " + prefix +
         "ratingd_votes WHERE held = 0 UNION ALL SELECT object_type, category, day, sum, " +
         bin_columns() + " FROM " + prefix +
         "ratingd_balances UNION ALL SELECT object_type, category, day, -sum, " +
         bin_list("-", "", ", ") + " FROM " + prefix +
         "ratingd_site_daily) AS difference GROUP BY object_type, category, day"
         " HAVING SUM(sum) <> 0 OR " +
         bin_list("SUM(", ") <> 0", " OR ");
}

std::string check_users(const std::string& prefix) {
  return "SELECT 'user', user_id, category, '' FROM ("
         "SELECT voter AS user_id, category, value AS sum, 1 AS total FROM " +
         prefix + "ratingd_votes WHERE held = 0 AND voter < " +
         std::to_string(model::kAnonymousBit) +
         " UNION ALL SELECT user_id, category, -sum, -total FROM " + prefix +
         "ratingd_users) AS difference GROUP BY user_id, category"
         " HAVING SUM(sum) <> 0 OR SUM(total) <> 0";
}

std::string check_user_daily(const std::string& prefix, const std::string& day) {
  return "SELECT object_type, user_id, category, day FROM (SELECT voter AS user_id, category,"
         " object_type, " +
         day + " AS day, value AS sum, 1 AS total FROM " + prefix +
         "ratingd_votes WHERE held = 0 AND voter < " + std::to_string(model::kAnonymousBit) +
         " UNION ALL SELECT user_id, category, object_type, day, -sum, -total FROM " + prefix +
         "ratingd_user_daily) AS difference GROUP BY user_id, category, object_type, day"
         " HAVING SUM(sum) <> 0 OR SUM(total) <> 0";
}

std::string check_voters(const std::string& prefix, const std::string& day) {
  return "SELECT 'voter', v.voter, v.category, " + day + " FROM " + prefix +
         "ratingd_votes v LEFT JOIN " + prefix +
         "ratingd_voters known ON known.voter = v.voter WHERE v.held = 0 AND"
         " (known.last_day IS NULL OR known.last_day < " +
         day + ")";
}

// A voter who was active on a day has either a later activity pair or this day as the last one.
std::string check_activity_pairs(const std::string& prefix) {
  return "SELECT 'all', '', 0, day FROM (SELECT day, voters FROM " + prefix +
         "ratingd_reach UNION ALL SELECT previous_day, -voters FROM " + prefix +
         "ratingd_reach UNION ALL SELECT last_day, -1 FROM " + prefix +
         "ratingd_voters) AS difference WHERE day > '1000-01-01' GROUP BY day"
         " HAVING SUM(voters) <> 0";
}

}  // namespace

std::vector<RollupMismatch> find_mismatches(db::Connection& connection,
                                            const std::string& table_prefix) {
  struct Check {
    std::string rollup;
    std::string query;
  };
  const RollupStateStore state(table_prefix);
  const base::Zone zone = state.zone(connection);
  const std::string day = day_expression(connection, table_prefix, zone);
  const Check checks[] = {{"totals", check_totals(table_prefix)},
                          {"totals.last_rated_at", check_last_rated_at(table_prefix)},
                          {"daily", check_daily(table_prefix, day)},
                          {"site_daily", check_site_daily(table_prefix, day)},
                          {"users", check_users(table_prefix)},
                          {"user_daily", check_user_daily(table_prefix, day)},
                          {"voters", check_voters(table_prefix, day)},
                          {"reach", check_activity_pairs(table_prefix)}};
  std::vector<RollupMismatch> mismatches;
  for (const Check& check : checks) {
    db::Rows row = connection.query(check.query + " LIMIT " + std::to_string(kMaxMismatches));
    while (row.next()) {
      const auto category = static_cast<model::Category>(row.integer(3));
      mismatches.push_back({check.rollup, row.text(1) + " " + row.text(2) + " " +
                                              std::string(name_of(category)) + " " + row.text(4)});
    }
  }
  if (state.zone(connection).name() != zone.name()) {
    throw db::Conflict(0, "the zone of the rollups has changed meanwhile; try again");
  }
  return mismatches;
}

RowEstimates estimate_rows(db::Connection& connection, const std::string& table_prefix) {
  const auto rows_in = [&](const char* table) {
    db::Rows row = connection
                       .prepare(
                           "SELECT COALESCE(table_rows, 0) FROM information_schema.tables"
                           " WHERE table_schema = DATABASE() AND table_name = ?")
                       .bind(table_prefix + table)
                       .query();
    return row.next() ? row.integer(1) : 0;
  };
  db::Rows held = connection.query("SELECT COUNT(*) FROM " + table_prefix + "ratingd_held");
  return {rows_in("ratingd_votes"), rows_in("ratingd_voters"), rows_in("ratingd_totals"),
          held.next() ? held.integer(1) : 0};
}

}  // namespace rollups
