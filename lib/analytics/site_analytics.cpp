#include "analytics/site_analytics.h"

#include "rollups/stats_store.h"

namespace analytics {
namespace {

using model::Category;
using model::Totals;

// Returns the rollup that contains object ids, as a table with the columns of the site's rollup.
// Its rows show only whether binary and bipolar ratings are positive, negative or neither.
std::string rollup_of_objects() {
  std::string columns;
  for (std::size_t i = 0; i < Totals::kBins; ++i) {
    const std::string bin = i == 0                   ? "negative"
                            : i == Totals::kBins - 1 ? "positive"
                            : i == Totals::kBins / 2 ? "total - positive - negative"
                                                     : "0";
    columns += ", " + bin + " AS bin" + std::to_string(i);
  }
  return "(SELECT object_id, object_type, category, day, sum" + columns +
         " FROM {prefix}ratingd_daily) AS days";
}

// Appends the days in the range, in the same order as site_days().
void add_days(db::Connection& connection, const RatingFilter& filter, const DayRange& range,
              std::vector<SiteDay>& days) {
  const std::string rollup =
      filter.ids.empty() ? std::string("{prefix}ratingd_site_daily") : rollup_of_objects();
  std::string bins;
  for (std::size_t i = 0; i < Totals::kBins; ++i) {
    bins += ", CAST(SUM(bin" + std::to_string(i) + ") AS SIGNED)";
  }
  db::Rows row =
      connection.query("SELECT day, category, CAST(SUM(sum) AS SIGNED)" + bins + " FROM " + rollup +
                           " WHERE day BETWEEN ? AND ?" + kind_condition(filter) +
                           " GROUP BY day, category ORDER BY day, category",
                       range.first, range.last, filter);
  while (row.next()) {
    SiteDay day{row.day(1), static_cast<Category>(row.integer(2)), {}};
    day.totals.sum = row.integer(3);
    unsigned column = 4;
    for (std::int64_t& bin : day.totals.bins) bin = row.integer(column++);
    if (day.totals.total() > 0) days.push_back(day);
  }
}

}  // namespace

std::optional<base::Day> first_day(db::Connection& connection) {
  return connection
      .prepare(
          // If several writers change a vote, different slots contain +1 and -1.
          std::string("SELECT day FROM {prefix}ratingd_site_daily GROUP BY day HAVING SUM(") +
          rollups::kTotalOfBins + ") > 0 ORDER BY day LIMIT 1")
      .query()
      .first([](const db::Rows& row) { return row.day(1); });
}

std::vector<SiteDay> site_days(db::Connection& connection, const RatingFilter& filter) {
  std::vector<SiteDay> days;
  if (filter.ids.empty()) {
    add_days(connection, filter, filter.days, days);
    return days;
  }
  const bool is_complete = in_slices(filter.days, kSumTimeLimit, [&](const DayRange& slice) {
    add_days(connection, filter, slice, days);
  });
  if (!is_complete) throw TakesTooLong();
  return days;
}

SumsByCategory site_sums(db::Connection& connection, const RatingFilter& filter) {
  SumsByCategory sums{};
  for (const SiteDay& day : site_days(connection, filter)) {
    Sums& one = sums.at(static_cast<std::size_t>(day.category));
    one.total += day.totals.total();
    one.sum += day.totals.sum;
  }
  return sums;
}

std::int64_t active_voters(db::Connection& connection, const DayRange& days) {
  // Counts each active voter once: exactly one of a voter's active days in the range follows a day
  // before the range.
  return connection
      .query(
          "SELECT CAST(COALESCE(SUM(voters), 0) AS SIGNED) FROM {prefix}ratingd_reach"
          " WHERE day BETWEEN ? AND ? AND previous_day < ?",
          days.first, days.last, days.first)
      .number();
}

}  // namespace analytics
