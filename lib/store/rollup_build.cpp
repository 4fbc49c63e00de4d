#include "store/rollup_build.h"

#include <utility>
#include <vector>

#include "model/rating.h"
#include "store/day_expression.h"
#include "store/rollup_store.h"

namespace store {
namespace {

constexpr std::string_view kNever = "'1000-01-01'";

// The bins of a row of votes as columns, or their sums.
std::string bins_of_votes() {
  std::string text;
  for (std::size_t i = 0; i < model::Totals::kBins; ++i) {
    text +=
        ", SUM((CASE category WHEN 1 THEN (value + 1000) DIV 200 ELSE (value + 50) DIV 100 "
        "END) = " +
        std::to_string(i) + ")";
  }
  return text;
}

std::string sums_of_bins() {
  std::string text;
  for (std::size_t i = 0; i < model::Totals::kBins; ++i) {
    text += ", SUM(bin" + std::to_string(i) + ")";
  }
  return text;
}

std::string all_bins() {
  std::string text;
  for (std::size_t i = 0; i < model::Totals::kBins; ++i) {
    text += (i > 0 ? " + bin" : "bin") + std::to_string(i);
  }
  return text;
}

// Adds the columns of a rollup where it has the row already.
std::string adding(const std::vector<std::string>& columns) {
  std::string text = " ON DUPLICATE KEY UPDATE ";
  for (const std::string& column : columns) {
    if (&column != &columns.front()) text += ", ";
    text.append(column).append(" = ").append(column).append(" + VALUES(").append(column) += ')';
  }
  return text;
}

std::vector<std::string> sum_and_bins() {
  std::vector<std::string> columns = {"sum"};
  for (std::size_t i = 0; i < model::Totals::kBins; ++i) {
    columns.push_back("bin" + std::to_string(i));
  }
  return columns;
}

struct Step {
  std::string_view rollup;
  std::string statement;
};

std::vector<Step> steps(const std::string& prefix, const std::string& day) {
  const std::string into = "INSERT INTO " + prefix + "ratingd_";
  const std::string votes = " FROM " + prefix + "ratingd_votes WHERE held = 0";
  const std::string balances = " FROM " + prefix + "ratingd_balances";
  const std::string of_users = " AND voter < " + std::to_string(model::kAnonymousBit);
  const std::string totals = into + "totals (object_id, object_type, category, sum, " +
                             bin_columns() + ", last_rated_at, version) SELECT object_id," +
                             " object_type, category, SUM(";
  const std::string daily =
      into +
      "daily (category, day, object_type, object_id, total, sum, positive, negative) SELECT ";
  const std::string site =
      into + "site_daily (day, category, object_type, slot, sum, " + bin_columns() + ") SELECT ";
  const std::string by_object = " GROUP BY object_id, object_type, category";
  return {
      {"totals", totals + "value)" + bins_of_votes() + ", MAX(rated_at), 1" + votes + by_object},
      {"totals", totals + "sum)" + sums_of_bins() + ", MAX(last_rated_at), 1" + balances +
                     by_object + adding(sum_and_bins()) +
                     ", last_rated_at = GREATEST(last_rated_at, VALUES(last_rated_at))"},
      {"daily", daily + "category, " + day +
                    " AS counted_on, object_type, object_id, COUNT(*), SUM(value), SUM(value > 0),"
                    " SUM(value < 0 OR category = 0 AND value = 0)" +
                    votes + " GROUP BY category, counted_on, object_type, object_id"},
      // What was folded is known by its bins; of a scale value below 0.05 they say zero.
      {"daily", daily + "category, day, object_type, object_id, SUM(" + all_bins() +
                    "), SUM(sum), SUM(CASE category WHEN 2 THEN " + all_bins() +
                    " - bin0 ELSE bin10 END), SUM(CASE category WHEN 2 THEN 0 ELSE bin0 END)" +
                    balances + " GROUP BY category, day, object_type, object_id" +
                    adding({"total", "sum", "positive", "negative"})},
      {"site_daily", site + day + " AS counted_on, category, object_type, 0, SUM(value)" +
                         bins_of_votes() + votes + " GROUP BY counted_on, category, object_type"},
      {"site_daily", site + "day, category, object_type, 0, SUM(sum)" + sums_of_bins() + balances +
                         " GROUP BY day, category, object_type" + adding(sum_and_bins())},
      {"users", into +
                    "users (user_id, category, total, sum, first_rated_at, last_rated_at)"
                    " SELECT voter, category, COUNT(*), SUM(value), MIN(rated_at),"
                    " MAX(rated_at)" +
                    votes + of_users + " GROUP BY voter, category"},
      {"user_daily", into + "user_daily (day, user_id, category, object_type, total, sum) SELECT " +
                         day +
                         " AS counted_on, voter, category, object_type, COUNT(*), SUM(value)" +
                         votes + of_users + " GROUP BY counted_on, voter, category, object_type"},
      {"voters", into + "voters (voter, last_day) SELECT voter, MAX(" + day + ") FROM " + prefix +
                     "ratingd_votes GROUP BY voter"},
      {"reach", into +
                    "reach (day, previous_day, slot, voters) SELECT active_on, before_that, 0,"
                    " COUNT(*) FROM (SELECT active_on, COALESCE(LAG(active_on) OVER"
                    " (PARTITION BY voter ORDER BY active_on), DATE " +
                    std::string(kNever) + ") AS before_that FROM (SELECT DISTINCT voter, " + day +
                    " AS active_on FROM " + prefix +
                    "ratingd_votes) AS active_days) AS pairs GROUP BY active_on, before_that"},
  };
}

}  // namespace

void build_rollups(db::Connection& connection, const std::string& table_prefix,
                   const base::Zone& zone,
                   const std::function<void(std::string_view rollup)>& before) {
  std::string_view last;
  for (const Step& step : steps(table_prefix, day_expression(connection, table_prefix, zone))) {
    if (step.rollup != last) before(step.rollup);
    last = step.rollup;
    connection.execute(step.statement);
  }
}

}  // namespace store
