#include "analytics/user_analytics.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "db/transaction.h"

namespace analytics {
namespace {

using model::Category;

struct UserAndDay {
  std::uint64_t user_id;
  base::Day day;
};

// The expression of a user's value in an order by time; empty for the other orders.
std::string time_of(UserOrder order) {
  if (order == UserOrder::first_rated_at) return "MIN(first_rated_at)";
  if (order == UserOrder::last_rated_at) return "MAX(last_rated_at)";
  return {};
}

// The sums of all days minus those of the other days need fewer rows than those of the days.
bool are_most(const RatingFilter& filter) {
  return filter.is_all || filter.other_days < filter.days.length();
}

std::int64_t value_of(const UserSums& user, UserOrder order) {
  switch (order) {
    case UserOrder::user_id:
      return static_cast<std::int64_t>(user.user_id);  // of a registered user: below 2^63
    case UserOrder::first_rated_at:
      return user.first_rated_at.time_since_epoch().count();
    case UserOrder::last_rated_at:
      return user.last_rated_at.time_since_epoch().count();
    case UserOrder::total:
      break;
  }
  return user.total();
}

}  // namespace

bool UserComesBefore::operator()(const UserSums& a, const UserSums& b) const {
  const std::int64_t left = value_of(a, order);
  const std::int64_t right = value_of(b, order);
  if (left != right) return ascending ? left < right : left > right;
  return a.user_id < b.user_id;
}

UserAnalytics::UserAnalytics(const std::string& table_prefix)
    : table_prefix_(table_prefix),
      users_(table_prefix + "ratingd_users"),
      site_(table_prefix),
      read_times_("SELECT MIN(first_rated_at), MAX(last_rated_at) FROM " + users_ +
                  " WHERE user_id = ?"),
      read_all_times_("SELECT user_id, MIN(first_rated_at), MAX(last_rated_at) FROM " + users_ +
                      " GROUP BY user_id ORDER BY user_id"),
      read_users_({"SELECT user_id, category, total, sum, first_rated_at, last_rated_at FROM " +
                       users_ + " FORCE INDEX (PRIMARY) WHERE user_id IN (",
                   "?", ",", ")"}),
      read_days_({"SELECT category, object_type, total, sum FROM " + table_prefix +
                      "ratingd_user_daily FORCE INDEX (PRIMARY) WHERE ",
                  "(day = ? AND user_id = ?)", " OR ", ""}) {}

// A list that is being made: the users in it with their values in its order.
struct UserAnalytics::Listing {
  struct User {
    std::int64_t value;
    std::uint64_t user_id;
  };

  const UserComesBefore& order;
  std::vector<User> users = {};

  // The ids of "limit" of the users after the first "offset".
  std::vector<std::uint64_t> page(std::int64_t offset, std::int64_t limit) {
    const auto begin = users.begin() + std::min(offset, std::ssize(users));
    const auto end = begin + std::min(limit, users.end() - begin);
    std::partial_sort(users.begin(), end, users.end(), [&](const User& a, const User& b) {
      if (a.value != b.value) return order.ascending ? a.value < b.value : a.value > b.value;
      return a.user_id < b.user_id;
    });
    std::vector<std::uint64_t> ids;
    for (auto user = begin; user != end; ++user) ids.push_back(user->user_id);
    return ids;
  }
};

std::optional<Slice<UserSums>> UserAnalytics::list(db::Connection& connection,
                                                   const RatingFilter& filter,
                                                   const UserComesBefore& order,
                                                   std::int64_t offset, std::int64_t limit) const {
  if (are_most(filter)) {
    const db::Transaction snapshot = db::one_snapshot(connection);
    if (!site_.has_other_types(connection, filter)) {
      return list_of_all_types(connection, filter, order, offset, limit);
    }
  }
  const auto sums =
      sum_up_users(connection, table_prefix_, filter, Types::together, ObjectAnalytics::kTimeLimit);
  if (!sums) return std::nullopt;
  return list(connection, sums->empty() ? SumsById() : sums->begin()->second, order, offset, limit);
}

Slice<UserSums> UserAnalytics::list(db::Connection& connection, const SumsById& sums,
                                    const UserComesBefore& order, std::int64_t offset,
                                    std::int64_t limit) const {
  Listing listing{order};
  const std::string time = time_of(order.order);
  if (time.empty()) {
    for (const auto& [id, by_category] : sums) {
      if (total_of(by_category) <= 0) continue;
      listing.users.push_back({value_of({id, by_category, {}, {}}, order.order), id});
    }
  } else {
    db::Rows row =
        connection.stream("SELECT user_id, " + time + " FROM " + users_ + " GROUP BY user_id");
    while (row.next()) {
      const auto found = sums.find(row.unsigned_integer(1));
      if (found == sums.end() || total_of(found->second) <= 0) continue;
      listing.users.push_back({row.time(2).time_since_epoch().count(), found->first});
    }
  }
  Slice<UserSums> slice;
  slice.items = read_users(connection, listing.page(offset, limit));
  slice.total = std::ssize(listing.users);
  for (UserSums& user : slice.items) user.by_category = sums.at(user.user_id);
  return slice;
}

// The totals of users and the negated sums of the other days. REQUIRES: in a snapshot; no rating of
// the filter's days has another type than the filter.
Slice<UserSums> UserAnalytics::list_of_all_types(db::Connection& connection, RatingFilter filter,
                                                 const UserComesBefore& order, std::int64_t offset,
                                                 std::int64_t limit) const {
  filter.object_type.reset();
  const SumsById others = negated_other_days_of_users(connection, table_prefix_, filter);
  const std::string time = time_of(order.order);
  std::string total = "total";
  std::string condition;
  if (filter.category) {
    const std::string is_wanted =
        "category = " + std::to_string(static_cast<int>(*filter.category));
    if (time.empty()) {
      condition = " WHERE " + is_wanted;
    } else {
      total = "IF(" + is_wanted + ", total, 0)";  // the times are of all categories
    }
  }
  Listing listing{order};
  {
    db::Rows row = connection.stream("SELECT user_id, CAST(SUM(" + total + ") AS SIGNED)" +
                                     (time.empty() ? "" : ", " + time) + " FROM " + users_ +
                                     condition + " GROUP BY user_id");
    while (row.next()) {
      const std::uint64_t id = row.unsigned_integer(1);
      std::int64_t value = row.integer(2);
      if (const auto other = others.find(id); other != others.end()) {
        value += total_of(other->second);
      }
      if (value <= 0) continue;
      if (order.order == UserOrder::user_id) value = static_cast<std::int64_t>(id);
      if (!time.empty()) value = row.time(3).time_since_epoch().count();
      listing.users.push_back({value, id});
    }
  }
  Slice<UserSums> slice;
  slice.items = read_users(connection, listing.page(offset, limit));
  slice.total = std::ssize(listing.users);
  for (UserSums& user : slice.items) {
    for (const Category category : model::kCategories) {
      if (filter.category && *filter.category != category)
        user.by_category.at(static_cast<std::size_t>(category)) = {};
    }
    if (const auto other = others.find(user.user_id); other != others.end()) {
      add(user.by_category, other->second);
    }
  }
  return slice;
}

// The users in the order of "ids", with the sums of all days.
std::vector<UserSums> UserAnalytics::read_users(db::Connection& connection,
                                                const std::vector<std::uint64_t>& ids) const {
  std::unordered_map<std::uint64_t, UserSums> found;
  read_users_.query(
      connection, db::span_of(ids),
      [](db::Statement& statement, std::uint64_t id, bool) { statement.bind(id); },
      [&](const db::Rows& row) {
        const std::uint64_t id = row.unsigned_integer(1);
        const base::Time first = row.time(5);
        const base::Time last = row.time(6);
        UserSums& user = found.try_emplace(id, UserSums{id, {}, first, last}).first->second;
        Sums& sums = user.by_category.at(static_cast<std::size_t>(row.integer(2)));
        sums.total = row.integer(3);
        sums.sum = row.integer(4);
        user.first_rated_at = std::min(user.first_rated_at, first);
        user.last_rated_at = std::max(user.last_rated_at, last);
      });
  std::vector<UserSums> users;
  for (const std::uint64_t id : ids) {
    if (const auto user = found.find(id); user != found.end()) users.push_back(user->second);
  }
  return users;
}

void UserAnalytics::for_times(
    db::Connection& connection,
    const std::function<void(std::uint64_t, base::Time, base::Time)>& use) const {
  for (db::Rows row = connection.stream(read_all_times_); row.next();) {
    use(row.unsigned_integer(1), row.time(2), row.time(3));
  }
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
  std::vector<UserAndDay> places;
  for (base::Day day = filter.days.first; day <= filter.days.last; day += std::chrono::days(1)) {
    places.push_back({user_id, day});
  }
  read_days_.query(
      connection, std::span<const UserAndDay>(places),
      [](db::Statement& statement, const UserAndDay& place, bool) {
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

}  // namespace analytics
