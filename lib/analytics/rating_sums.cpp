#include "analytics/rating_sums.h"

#include "base/text.h"
#include "base/timestamp.h"
#include "db/transaction.h"
#include "rollups/stats_store.h"

namespace analytics {
namespace {

// Streamed statements have no parameters. The type is written in hexadecimal, so it cannot be read
// as SQL. All categories are listed because the index of the objects' days begins with the
// category.
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

// Adds rows of type, id, category, total and sum. With signs, the rows also contain the numbers of
// positive and negative ratings. If "sign" is -1, the rows are subtracted.
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

// Sums up the rows of the statement "daily", which has no condition on days.
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
  // A changed vote moves to another day. In a snapshot, it is not counted twice.
  const db::Transaction snapshot = db::one_snapshot(connection);
  if (!filter.is_all && filter.other_days >= filter.days.length()) {
    return add_slices(connection, daily, signs, filter, time_limit);
  }
  // If the range covers most of the days, subtract the other days from the totals. If it covers all
  // days, the other days are days in the future.
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

}  // namespace analytics
