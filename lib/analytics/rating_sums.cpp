#include "analytics/rating_sums.h"

#include "base/bytes.h"
#include "base/timestamp.h"
#include "db/transaction.h"

namespace analytics {
namespace {

// Streams have no parameters. The type is written in hexadecimal, so it cannot be read as SQL.
std::string condition(const RatingFilter& filter) {
  std::string text = " WHERE category ";
  text += filter.category ? "= " + std::to_string(static_cast<int>(*filter.category))
                          : std::string("IN (0, 1, 2)");
  if (!filter.object_type) return text;
  return text + type_condition("X'" + base::to_hex(*filter.object_type) + "'", filter.ids);
}

std::string quoted(base::Day day) { return "'" + base::to_date(day) + "'"; }

std::string outside(const DayRange& days) {
  return " AND (day < " + quoted(days.first) + " OR day > " + quoted(days.last) + ")";
}

// Rows of object_type, id, category, total, sum and, for objects, positive and negative. "sign" is
// 1, or -1 to subtract.
void add_rows(SumsByTypeAndId& sums, db::Rows row, bool has_signs, std::int64_t sign = 1) {
  auto of_type = sums.end();
  while (row.next()) {
    const std::string type = row.text(1);
    if (of_type == sums.end() || of_type->first != type) of_type = sums.try_emplace(type).first;
    Sums& one = of_type->second[row.unsigned_integer(2)][static_cast<std::size_t>(row.integer(3))];
    one.total += sign * row.integer(4);
    one.sum += sign * row.integer(5);
    if (!has_signs) continue;
    one.positive += sign * row.integer(6);
    one.negative += sign * row.integer(7);
  }
}

std::string daily_of_users(const std::string& table_prefix, const RatingFilter& filter,
                           Types types) {
  const std::string type = types == Types::apart ? "object_type" : "''";
  return "SELECT " + type + ", user_id, category, total, sum FROM " + table_prefix +
         "ratingd_user_daily" + condition(filter);
}

// The sources of the sums: statements for add_rows(), without conditions on days.
struct Source {
  std::string daily;
  std::string whole;  // totals of all days
  bool has_signs = false;
  bool is_whole_short = false;  // few rows, because they are not per day
};

std::optional<SumsByTypeAndId> add_slices(db::Connection& connection, const Source& source,
                                          const RatingFilter& filter,
                                          std::chrono::milliseconds time_limit) {
  SumsByTypeAndId sums;
  const bool is_complete = in_slices(filter.days, time_limit, [&](const DayRange& slice) {
    add_rows(sums,
             connection.stream(source.daily + " AND day BETWEEN " + quoted(slice.first) + " AND " +
                               quoted(slice.last)),
             source.has_signs);
  });
  if (!is_complete) return std::nullopt;
  return sums;
}

std::optional<SumsByTypeAndId> sum_up(db::Connection& connection, const Source& source,
                                      const RatingFilter& filter,
                                      std::chrono::milliseconds time_limit) {
  // A changed vote moves to another day: it must not be counted twice.
  const db::Transaction snapshot = db::one_snapshot(connection);
  const bool is_most = source.is_whole_short && filter.other_days < filter.days.length();
  if (!filter.is_all && !is_most) return add_slices(connection, source, filter, time_limit);

  // For most of the days: the totals minus the other days. For all days the other ones are those in
  // the future.
  SumsByTypeAndId sums;
  add_rows(sums, connection.stream(source.whole), source.has_signs);
  add_rows(sums, connection.stream(source.daily + outside(filter.days)), source.has_signs, -1);
  return sums;
}

}  // namespace

std::optional<SumsByTypeAndId> sum_up_objects(db::Connection& connection,
                                              const std::string& table_prefix,
                                              const RatingFilter& filter,
                                              std::chrono::milliseconds time_limit) {
  Source source;
  source.daily = "SELECT object_type, object_id, category, total, sum, positive, negative FROM " +
                 table_prefix + "ratingd_daily" + condition(filter);
  source.whole =
      "SELECT object_type, object_id, category, bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + "
      "bin7 + bin8 + bin9 + bin10, sum, bin10, bin0 FROM " +
      table_prefix + "ratingd_totals" + condition(filter);
  source.has_signs = true;
  source.is_whole_short = true;
  return sum_up(connection, source, filter, time_limit);
}

std::optional<SumsByTypeAndId> sum_up_users(db::Connection& connection,
                                            const std::string& table_prefix,
                                            const RatingFilter& filter, Types types,
                                            std::chrono::milliseconds time_limit) {
  Source source;
  source.daily = daily_of_users(table_prefix, filter, types);
  source.whole = source.daily;
  return sum_up(connection, source, filter, time_limit);
}

SumsById negated_other_days_of_users(db::Connection& connection, const std::string& table_prefix,
                                     const RatingFilter& filter) {
  SumsByTypeAndId sums;
  const std::string daily = daily_of_users(table_prefix, filter, Types::together);
  add_rows(sums, connection.stream(daily + outside(filter.days)), false, -1);
  return std::move(sums[""]);
}

}  // namespace analytics
