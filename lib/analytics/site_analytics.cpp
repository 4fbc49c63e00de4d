#include "analytics/site_analytics.h"

#include "analytics/object_analytics.h"
#include "rollups/totals_reader.h"

namespace analytics {
namespace {

using model::Category;
using model::Totals;

// The rollup that has the ids of objects, with the columns of the site's: binary and bipolar
// ratings are positive, negative or neither.
std::string days_of_objects(const std::string& table_prefix) {
  std::string columns;
  for (std::size_t i = 0; i < Totals::kBins; ++i) {
    const std::string bin = i == 0                   ? "negative"
                            : i == Totals::kBins - 1 ? "positive"
                            : i == Totals::kBins / 2 ? "total - positive - negative"
                                                     : "0";
    columns += ", " + bin + " AS bin" + std::to_string(i);
  }
  return "(SELECT object_id, object_type, category, day, sum" + columns + " FROM " + table_prefix +
         "ratingd_daily) AS days";
}

}  // namespace

SiteAnalytics::SiteAnalytics(const std::string& table_prefix)
    : table_prefix_(table_prefix),
      // A change by another writer leaves +1 and -1 in different slots.
      find_first_day_("SELECT day FROM " + table_prefix +
                      "ratingd_site_daily GROUP BY day HAVING SUM(" + rollups::kTotalOfBins +
                      ") > 0 ORDER BY day LIMIT 1"),
      // Exactly one of a voter's active days in the range follows a day before the range.
      count_voters_("SELECT CAST(COALESCE(SUM(voters), 0) AS SIGNED) FROM " + table_prefix +
                    "ratingd_reach WHERE day BETWEEN ? AND ? AND previous_day < ?") {}

std::optional<base::Day> SiteAnalytics::first_day(db::Connection& connection) const {
  return connection.prepare(find_first_day_).query().first([](const db::Rows& row) {
    return row.day(1);
  });
}

std::vector<SiteDay> SiteAnalytics::days(db::Connection& connection,
                                         const RatingFilter& filter) const {
  std::vector<SiteDay> days;
  if (filter.ids.empty()) {
    add_days(connection, filter, filter.days, days);
    return days;
  }
  const bool is_complete =
      in_slices(filter.days, ObjectAnalytics::kTimeLimit,
                [&](const DayRange& slice) { add_days(connection, filter, slice, days); });
  if (!is_complete) throw TakesTooLong();
  return days;
}

SumsByCategory SiteAnalytics::sums(db::Connection& connection, const RatingFilter& filter) const {
  SumsByCategory sums{};
  for (const SiteDay& day : days(connection, filter)) {
    Sums& one = sums.at(static_cast<std::size_t>(day.category));
    one.total += day.totals.total();
    one.sum += day.totals.sum;
  }
  return sums;
}

// Appends them in the order of days().
void SiteAnalytics::add_days(db::Connection& connection, const RatingFilter& filter,
                             const DayRange& range, std::vector<SiteDay>& days) const {
  const std::string rollup =
      filter.ids.empty() ? table_prefix_ + "ratingd_site_daily" : days_of_objects(table_prefix_);
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

bool SiteAnalytics::has_other_types(db::Connection& connection, const RatingFilter& filter) const {
  if (!filter.object_type) return false;
  RatingFilter of_any_type = filter;
  of_any_type.object_type.reset();
  return connection
      .query("SELECT 1 FROM " + table_prefix_ + "ratingd_site_daily WHERE day BETWEEN ? AND ?" +
                 kind_condition(of_any_type) +
                 " AND object_type <> ? GROUP BY day, category, object_type HAVING SUM(" +
                 rollups::kTotalOfBins + ") > 0 LIMIT 1",
             filter.days.first, filter.days.last, of_any_type, *filter.object_type)
      .next();
}

}  // namespace analytics
