#include "store/user_analytics.h"

#include <vector>

namespace store {
namespace {

using model::Category;

struct Place {
  std::uint64_t user_id;
  base::Day day;
};

std::string_view column_of(UserOrder order) {
  switch (order) {
    case UserOrder::user_id:
      return "sums.user_id";
    case UserOrder::first_rated_at:
      return "first_rated_at";
    case UserOrder::last_rated_at:
      return "last_rated_at";
    case UserOrder::total:
      break;
  }
  return "total";
}

// Total and sum of each category, from rows of category, total and sum.
std::string sums_by_category() {
  std::string text;
  for (std::size_t i = 0; i < model::kCategories.size(); ++i) {
    const std::string in_category = "IF(category = " + std::to_string(i) + ", ";
    text += ", CAST(SUM(" + in_category + "total, 0)) AS SIGNED) AS total" + std::to_string(i);
    text += ", CAST(SUM(" + in_category + "sum, 0)) AS SIGNED) AS sum" + std::to_string(i);
  }
  return text;
}

// Rows of user_id, category, object_type, total, sum.
std::string source(const RatingFilter& filter, const std::string& prefix) {
  // The rollup without days has no types either.
  if (filter.is_all && !filter.object_type) return prefix + "ratingd_users WHERE TRUE";
  return prefix + "ratingd_user_daily WHERE " + (filter.is_all ? "TRUE" : "day BETWEEN ? AND ?");
}

void bind_source(db::Statement& statement, const RatingFilter& filter) {
  if (!filter.is_all) statement.bind(filter.days.first).bind(filter.days.last);
  bind_kind(statement, filter);
}

}  // namespace

UserAnalytics::UserAnalytics(const std::string& table_prefix)
    : table_prefix_(table_prefix),
      read_times_("SELECT MIN(first_rated_at), MAX(last_rated_at) FROM " + table_prefix +
                  "ratingd_users WHERE user_id = ?"),
      read_days_({"SELECT category, object_type, total, sum FROM " + table_prefix +
                      "ratingd_user_daily FORCE INDEX (PRIMARY) WHERE ",
                  "(day = ? AND user_id = ?)", " OR ", ""}) {}

Slice<UserSums> UserAnalytics::list(db::Connection& connection, const RatingFilter& filter,
                                    UserOrder order, bool ascending, std::int64_t offset,
                                    std::int64_t limit) const {
  const std::string direction = ascending ? " ASC" : " DESC";
  db::Statement& statement = connection.prepare(
      "SELECT sums.user_id, total0, sum0, total1, sum1, total2, sum2, first_rated_at,"
      " last_rated_at, COUNT(*) OVER () FROM (SELECT user_id, SUM(total) AS total" +
      sums_by_category() + " FROM " + source(filter, table_prefix_) + kind_condition(filter) +
      " GROUP BY user_id HAVING SUM(total) > 0) AS sums JOIN (SELECT user_id,"
      " MIN(first_rated_at) AS first_rated_at, MAX(last_rated_at) AS last_rated_at FROM " +
      table_prefix_ +
      "ratingd_users GROUP BY user_id) AS times ON times.user_id = sums.user_id ORDER BY " +
      std::string(column_of(order)) + direction + ", sums.user_id LIMIT ? OFFSET ?");
  bind_source(statement, filter);
  statement.bind(limit).bind(offset);
  Slice<UserSums> slice;
  for (db::Rows row = statement.query(); row.next();) {
    UserSums user;
    user.user_id = row.unsigned_integer(1);
    unsigned column = 2;
    for (Sums& sums : user.by_category) {
      sums.total = row.integer(column++);
      sums.sum = row.integer(column++);
    }
    user.first_rated_at = row.time(8);
    user.last_rated_at = row.time(9);
    slice.total = row.integer(10);
    slice.items.push_back(user);
  }
  return slice;
}

std::optional<UserSums> UserAnalytics::one(db::Connection& connection, std::uint64_t user_id,
                                           const RatingFilter& filter) const {
  UserSums user;
  user.user_id = user_id;
  {
    db::Rows row = connection.prepare(read_times_).bind(user_id).query();
    if (!row.next() || row.is_null(1)) return std::nullopt;
    user.first_rated_at = row.time(1);
    user.last_rated_at = row.time(2);
  }
  std::vector<Place> places;
  for (base::Day day = filter.days.first; day <= filter.days.last; day += std::chrono::days(1)) {
    places.push_back({user_id, day});
  }
  read_days_.query(
      connection, std::span<const Place>(places),
      [](db::Statement& statement, const Place& place, bool) {
        statement.bind(place.day).bind(place.user_id);
      },
      [&](const db::Rows& row) {
        const auto category = static_cast<Category>(row.integer(1));
        if (filter.category && *filter.category != category) return;
        if (filter.object_type && *filter.object_type != row.text(2)) return;
        Sums& sums = user.by_category[static_cast<std::size_t>(category)];
        sums.total += row.integer(3);
        sums.sum += row.integer(4);
      });
  return user;
}

}  // namespace store
