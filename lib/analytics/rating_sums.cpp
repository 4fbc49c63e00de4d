#include "analytics/rating_sums.h"

#include "base/text.h"
#include "base/timestamp.h"
#include "db/bulk_statement.h"
#include "db/transaction.h"
#include "rollups/stats_store.h"

namespace analytics {
namespace {

// Streamed statements have no parameters, so the object type is part of the SQL text. The type is
// written in hexadecimal to prevent SQL injection. If the filter has no category, the condition
// lists all categories, because the index begins with the category.
std::string condition(const RatingFilter& filter,
                      const std::string& any_category = "category IN (0, 1, 2)") {
  std::string text = " WHERE ";
  text += filter.category ? "category = " + std::to_string(static_cast<int>(*filter.category))
                          : any_category;
  if (!filter.object_type) return text;
  return text + type_condition("X'" + base::to_hex(*filter.object_type) + "'", filter.ids);
}

std::string quoted(base::Day day) { return "'" + base::to_date(day) + "'"; }

std::string inside(const DayRange& days) {
  return " AND day BETWEEN " + quoted(days.first) + " AND " + quoted(days.last);
}

std::string outside(const DayRange& days) {
  return " AND (day < " + quoted(days.first) + " OR day > " + quoted(days.last) + ")";
}

// Adds rows with the columns type, id, category, total and sum. If "signs" is Signs::included, the
// rows also contain the numbers of positive and negative ratings. If "sign" is -1, subtracts the
// rows instead.
void add_rows(SumsByTypeAndId& sums, db::Rows row, Signs signs, std::int64_t sign = 1) {
  auto of_type = sums.end();
  while (row.next()) {
    const std::string type = row.text(1);
    if (of_type == sums.end() || of_type->first != type) of_type = sums.try_emplace(type).first;
    SumsByCategory& by_category = of_type->second[row.unsigned_integer(2)];
    Sums& one = by_category[static_cast<std::size_t>(row.integer(3))];
    one.total += sign * row.integer(4);
    one.sum += sign * row.integer(5);
    if (signs == Signs::omitted) continue;
    one.positive += sign * row.integer(6);
    one.negative += sign * row.integer(7);
  }
}

std::string select_days_of_users(const std::string& columns, const RatingFilter& filter) {
  return "SELECT " + columns + " FROM {prefix}ratingd_user_daily" + condition(filter, "TRUE");
}

// Executes the statement "daily" for each slice of days in turn, and sums up the rows.
std::optional<SumsByTypeAndId> add_slices(db::Connection& connection, const std::string& daily,
                                          Signs signs, const RatingFilter& filter,
                                          std::chrono::milliseconds time_limit) {
  SumsByTypeAndId sums;
  const bool is_complete = in_slices(filter.days, time_limit, [&](const DayRange& slice) {
    add_rows(sums, connection.stream(daily + inside(slice)), signs);
  });
  if (!is_complete) return std::nullopt;
  return sums;
}

}  // namespace

std::optional<SumsByTypeAndId> sum_up_objects(db::Connection& connection,
                                              const RatingFilter& filter, Signs signs,
                                              std::chrono::milliseconds time_limit) {
  const bool are_included = signs == Signs::included;
  const std::string daily = std::string("SELECT object_type, object_id, category, total, sum") +
                            (are_included ? ", positive, negative" : "") +
                            " FROM {prefix}ratingd_daily" + condition(filter);
  // Without a snapshot, a vote that changes between two reads could be counted on both its old and
  // its new day.
  const db::Transaction snapshot = db::one_snapshot(connection);
  if (!filter.is_all && filter.other_days >= filter.days.length()) {
    return add_slices(connection, daily, signs, filter, time_limit);
  }
  // The range covers most of the days, so read the totals of all days and subtract the days outside
  // the range. If the range covers all past days, only days in the future are subtracted.
  SumsByTypeAndId sums;
  add_rows(
      sums,
      connection.stream(std::string("SELECT object_type, object_id, category, ") +
                        rollups::kTotalOfBins + ", sum" + (are_included ? ", bin10, bin0" : "") +
                        " FROM {prefix}ratingd_totals" + condition(filter)),
      signs);
  add_rows(sums, connection.stream(daily + outside(filter.days)), signs, -1);
  return sums;
}

std::optional<SumsByTypeAndId> sum_up_users(db::Connection& connection, const RatingFilter& filter,
                                            std::chrono::milliseconds time_limit) {
  const db::Transaction snapshot = db::one_snapshot(connection);
  return add_slices(connection,
                    select_days_of_users("object_type, user_id, category, total, sum", filter),
                    Signs::omitted, filter, time_limit);
}

std::optional<SumsById> sum_up_users_of_all_types(db::Connection& connection,
                                                  const RatingFilter& filter,
                                                  std::chrono::milliseconds time_limit) {
  auto sums =
      add_slices(connection, select_days_of_users("'', user_id, category, total, sum", filter),
                 Signs::omitted, filter, time_limit);
  if (!sums) return std::nullopt;
  return std::move((*sums)[""]);
}

// --- The days of objects -------------------------------------------------------------------------

namespace {

using model::Category;
using model::Object;

struct ObjectAndDay {
  const Object* object;
  base::Day day;
};

constexpr db::BulkStatement kReadDaysOfObjects(
    {"SELECT object_id, object_type, category, day, total, sum, positive, negative"
     " FROM {prefix}ratingd_daily FORCE INDEX (PRIMARY) WHERE ",
     "(category IN (0, 1, 2) AND day = ? AND object_type = ? AND object_id = ?)", " OR ", ""});

}  // namespace

std::vector<ObjectDay> days_of_objects(db::Connection& connection, std::span<const Object> objects,
                                       const DayRange& days) {
  std::vector<ObjectAndDay> places;
  for (const Object& object : objects) {
    for (base::Day day = days.first; day <= days.last; day += std::chrono::days(1)) {
      places.push_back({&object, day});
    }
  }
  std::vector<ObjectDay> found;
  kReadDaysOfObjects.query(
      connection, places,
      [](db::Statement& statement, const ObjectAndDay& place) {
        statement.bind(place.day, place.object->type, place.object->id);
      },
      [&](const db::Rows& row) {
        const Sums sums{row.integer(5), row.integer(6), row.integer(7), row.integer(8)};
        if (sums.total == 0) return;
        found.push_back({{row.unsigned_integer(1), row.text(2)},
                         static_cast<Category>(row.integer(3)),
                         row.day(4),
                         sums});
      });
  return found;
}

// --- The whole site ------------------------------------------------------------------------------

namespace {

using model::Totals;

// Returns an SQL subquery that computes the columns of the table ratingd_site_daily from the table
// ratingd_daily. The subquery distinguishes only three bins: positive, negative and all other
// ratings.
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

// Appends the days in "range" to "days", in the same order as site_days().
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
          // Sum up each day's rows, because the addition and the removal of the same vote may be in
          // different rows.
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
  // Count each voter once, on the voter's first active day in the range. On this day, previous_day
  // is before the range.
  return connection
      .query(
          "SELECT CAST(COALESCE(SUM(voters), 0) AS SIGNED) FROM {prefix}ratingd_reach"
          " WHERE day BETWEEN ? AND ? AND previous_day < ?",
          days.first, days.last, days.first)
      .number();
}

}  // namespace analytics
