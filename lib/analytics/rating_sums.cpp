#include "analytics/rating_sums.h"

#include "base/bytes.h"
#include "base/joined.h"
#include "base/timestamp.h"
#include "db/transaction.h"
#include "rollups/totals_reader.h"

namespace analytics {
namespace {

// Streams have no parameters. The type is written in hexadecimal, so it cannot be read as SQL. All
// categories are named for the index of objects' days, which begins with the category.
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

// Calls "add(value, row)" for each row, which begins with a type and an id, and their value.
template <typename Value, typename Add>
void accumulate(std::map<std::string, ById<Value>>& values, db::Rows row, const Add& add) {
  auto of_type = values.end();
  while (row.next()) {
    const std::string type = row.text(1);
    if (of_type == values.end() || of_type->first != type) of_type = values.try_emplace(type).first;
    add(of_type->second[row.unsigned_integer(2)], row);
  }
}

// Rows of type, id, category, total, sum and, with signs, positive and negative. "sign" is 1, or -1
// to subtract.
void add_rows(SumsByTypeAndId& sums, db::Rows rows, Signs signs, std::int64_t sign = 1) {
  accumulate(sums, std::move(rows), [&](SumsByCategory& by_category, const db::Rows& row) {
    Sums& one = by_category[static_cast<std::size_t>(row.integer(3))];
    one.total += sign * row.integer(4);
    one.sum += sign * row.integer(5);
    if (signs == Signs::omitted) return;
    one.positive += sign * row.integer(6);
    one.negative += sign * row.integer(7);
  });
}

// Rows of type, id and total.
void add_rows(CountsByTypeAndId& counts, db::Rows rows, Signs /*signs*/, std::int64_t sign = 1) {
  accumulate(counts, std::move(rows),
             [&](std::int64_t& total, const db::Rows& row) { total += sign * row.integer(3); });
}

// The columns of days of users for add_rows().
constexpr const char* kSumsOfUsers = "'', user_id, category, total, sum";

std::string select_days_of_users(const std::string& columns, const RatingFilter& filter) {
  return "SELECT " + columns + " FROM {prefix}ratingd_user_daily" + condition(filter, "TRUE");
}

// The sources of the sums: statements for add_rows(), without conditions on days.
struct Source {
  std::string daily;
  std::string whole;  // totals of all days
  Signs signs = Signs::omitted;
  bool is_whole_short = false;  // few rows, because they are not per day
};

template <typename Result>
std::optional<Result> add_slices(db::Connection& connection, const Source& source,
                                 const RatingFilter& filter, std::chrono::milliseconds time_limit) {
  Result sums;
  const bool is_complete = in_slices(filter.days, time_limit, [&](const DayRange& slice) {
    add_rows(sums, connection.stream(source.daily + inside(slice)), source.signs);
  });
  if (!is_complete) return std::nullopt;
  return sums;
}

template <typename Result>
std::optional<Result> sum_up(db::Connection& connection, const Source& source,
                             const RatingFilter& filter, std::chrono::milliseconds time_limit) {
  // A changed vote moves to another day: it must not be counted twice.
  const db::Transaction snapshot = db::one_snapshot(connection);
  const bool is_most = source.is_whole_short && filter.other_days < filter.days.length();
  if (!filter.is_all && !is_most) return add_slices<Result>(connection, source, filter, time_limit);

  // For most of the days: the totals minus the other days. For all days the other ones are those in
  // the future.
  Result sums;
  add_rows(sums, connection.stream(source.whole), source.signs);
  add_rows(sums, connection.stream(source.daily + outside(filter.days)), source.signs, -1);
  return sums;
}

}  // namespace

std::optional<SumsByTypeAndId> sum_up_objects(db::Connection& connection,
                                              const RatingFilter& filter, Signs signs,
                                              std::chrono::milliseconds time_limit) {
  const bool are_included = signs == Signs::included;
  Source source;
  source.daily = std::string("SELECT object_type, object_id, category, total, sum") +
                 (are_included ? ", positive, negative" : "") + " FROM {prefix}ratingd_daily" +
                 condition(filter);
  source.whole = std::string("SELECT object_type, object_id, category, ") + rollups::kTotalOfBins +
                 ", sum" + (are_included ? ", bin10, bin0" : "") + " FROM {prefix}ratingd_totals" +
                 condition(filter);
  source.signs = signs;
  source.is_whole_short = true;
  return sum_up<SumsByTypeAndId>(connection, source, filter, time_limit);
}

std::optional<CountsByTypeAndId> count_ratings_of_objects(db::Connection& connection,
                                                          const RatingFilter& filter,
                                                          std::chrono::milliseconds time_limit) {
  Source source;
  source.daily =
      "SELECT object_type, object_id, total FROM {prefix}ratingd_daily" + condition(filter);
  source.whole = std::string("SELECT object_type, object_id, ") + rollups::kTotalOfBins +
                 " FROM {prefix}ratingd_totals" + condition(filter);
  source.is_whole_short = true;
  return sum_up<CountsByTypeAndId>(connection, source, filter, time_limit);
}

std::optional<SumsByTypeAndId> sum_up_users(db::Connection& connection, const RatingFilter& filter,
                                            std::chrono::milliseconds time_limit) {
  Source source;
  source.daily = select_days_of_users("object_type, user_id, category, total, sum", filter);
  source.whole = source.daily;
  return sum_up<SumsByTypeAndId>(connection, source, filter, time_limit);
}

std::optional<CountsById> count_ratings_of_users(db::Connection& connection,
                                                 const RatingFilter& filter,
                                                 std::chrono::milliseconds time_limit) {
  const std::string daily = select_days_of_users("user_id, total", filter);
  CountsById totals;
  const bool is_complete = in_slices(filter.days, time_limit, [&](const DayRange& slice) {
    for (db::Rows row = connection.stream(daily + inside(slice)); row.next();) {
      totals[row.unsigned_integer(1)] += row.integer(2);
    }
  });
  if (!is_complete) return std::nullopt;
  return totals;
}

std::optional<SumsById> sum_up_some_users(db::Connection& connection, const RatingFilter& filter,
                                          const std::vector<std::uint64_t>& ids,
                                          std::chrono::milliseconds time_limit) {
  if (ids.empty()) return SumsById();
  const std::string list =
      base::joined(ids, ",", [](std::uint64_t id) { return std::to_string(id); });
  Source source;
  source.daily = select_days_of_users(kSumsOfUsers, filter) + " AND user_id IN (" + list + ")";
  auto sums = add_slices<SumsByTypeAndId>(connection, source, filter, time_limit);
  if (!sums) return std::nullopt;
  return std::move((*sums)[""]);
}

SumsById negated_other_days_of_users(db::Connection& connection, const RatingFilter& filter) {
  SumsByTypeAndId sums;
  const std::string daily = select_days_of_users(kSumsOfUsers, filter);
  add_rows(sums, connection.stream(daily + outside(filter.days)), Signs::omitted, -1);
  return std::move(sums[""]);
}

}  // namespace analytics
