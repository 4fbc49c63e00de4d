#include "analytics/user_analytics.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <unordered_map>

#include "db/bulk_statement.h"
#include "db/transaction.h"

namespace analytics {
namespace {

using model::Category;

struct UserAndDay {
  std::uint64_t user_id;
  base::Day day;
};

// How many rows the server passes over in the time of one lookup.
constexpr std::int64_t kRowsOfLookup = 40;

// The expression of a user's value in an order by time; empty for the other orders.
std::string time_expression(UserOrder order) {
  if (order == UserOrder::first_rated_at) return "MIN(first_rated_at)";
  if (order == UserOrder::last_rated_at) return "MAX(last_rated_at)";
  return {};
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

// A list that is being made: the users in it with their values in its order.
struct Listing {
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

constexpr db::BulkStatement kReadUsers(
    {"SELECT user_id, category, total, sum, first_rated_at, last_rated_at"
     " FROM {prefix}ratingd_users FORCE INDEX (PRIMARY) WHERE user_id IN (",
     "?", ",", ")"});
constexpr db::BulkStatement kReadDaysOfUsers(
    {"SELECT user_id, category, object_type, total, sum FROM {prefix}ratingd_user_daily"
     " FORCE INDEX (PRIMARY) WHERE ",
     "(day = ? AND user_id = ?)", " OR ", ""});

// Of the users with ratings that count: "Ratings" are their total or sums.
template <typename Ratings>
Listing listing_of(db::Connection& connection, const ById<Ratings>& users,
                   const UserComesBefore& order) {
  Listing listing{order};
  const std::string time = time_expression(order.order);
  if (time.empty()) {
    const bool is_by_id = order.order == UserOrder::user_id;
    for (const auto& [id, ratings] : users) {
      const std::int64_t total = total_of(ratings);
      if (total <= 0) continue;
      listing.users.push_back({is_by_id ? static_cast<std::int64_t>(id) : total, id});
    }
    return listing;
  }
  db::Rows row =
      connection.stream("SELECT user_id, " + time + " FROM {prefix}ratingd_users GROUP BY user_id");
  while (row.next()) {
    const std::uint64_t id = row.unsigned_integer(1);
    const Ratings* const ratings = users.find(id);
    if (ratings == nullptr || total_of(*ratings) <= 0) continue;
    listing.users.push_back({row.time(2).time_since_epoch().count(), id});
  }
  return listing;
}

// The users in the order of "ids", with the sums of all days.
std::vector<UserSums> read_users(db::Connection& connection,
                                 const std::vector<std::uint64_t>& ids) {
  std::unordered_map<std::uint64_t, UserSums> found;
  kReadUsers.query(connection, ids, [&](const db::Rows& row) {
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

// The sums of these users, with one lookup for each of them and day.
SumsById look_up_days(db::Connection& connection, const std::vector<std::uint64_t>& ids,
                      const RatingFilter& filter) {
  std::vector<UserAndDay> places;
  for (base::Day day = filter.days.first; day <= filter.days.last; day += std::chrono::days(1)) {
    for (const std::uint64_t id : ids) places.push_back({id, day});
  }
  SumsById sums;
  kReadDaysOfUsers.query(
      connection, places,
      [](db::Statement& statement, const UserAndDay& place) {
        statement.bind(place.day, place.user_id);
      },
      [&](const db::Rows& row) {
        const auto category = static_cast<Category>(row.integer(2));
        if (filter.category && *filter.category != category) return;
        if (filter.object_type && *filter.object_type != row.text(3)) return;
        Sums& one = sums[row.unsigned_integer(1)][static_cast<std::size_t>(category)];
        one.total += row.integer(4);
        one.sum += row.integer(5);
      });
  return sums;
}

}  // namespace

bool UserComesBefore::operator()(const UserSums& a, const UserSums& b) const {
  const std::int64_t left = value_of(a, order);
  const std::int64_t right = value_of(b, order);
  if (left != right) return ascending ? left < right : left > right;
  return a.user_id < b.user_id;
}

std::optional<Slice<UserSums>> list_users(db::Connection& connection, const RatingFilter& filter,
                                          const UserComesBefore& order, std::int64_t offset,
                                          std::int64_t limit) {
  const db::Transaction snapshot = db::one_snapshot(connection);
  const auto totals = count_ratings_of_users(connection, filter, kSumTimeLimit);
  if (!totals) return std::nullopt;
  Listing listing = listing_of(connection, *totals, order);
  const std::vector<std::uint64_t> ids = listing.page(offset, limit);
  const auto ratings =
      std::accumulate(totals->begin(), totals->end(), std::int64_t{0},
                      [](std::int64_t sum, const auto& user) { return sum + user.second; });
  const bool are_few_rows = ratings < kRowsOfLookup * std::ssize(ids) * filter.days.length();
  const auto sums = are_few_rows ? sum_up_some_users(connection, filter, ids, kSumTimeLimit)
                                 : look_up_days(connection, ids, filter);
  if (!sums) return std::nullopt;
  Slice<UserSums> slice{read_users(connection, ids), std::ssize(listing.users)};
  for (UserSums& user : slice.items) user.by_category = *sums->find(user.user_id);
  return slice;
}

Slice<UserSums> list_users(db::Connection& connection, const SumsById& sums,
                           const UserComesBefore& order, std::int64_t offset, std::int64_t limit) {
  Listing listing = listing_of(connection, sums, order);
  Slice<UserSums> slice{read_users(connection, listing.page(offset, limit)),
                        std::ssize(listing.users)};
  for (UserSums& user : slice.items) user.by_category = *sums.find(user.user_id);
  return slice;
}

void for_times_of_users(db::Connection& connection,
                        const std::function<void(std::uint64_t, base::Time, base::Time)>& use) {
  db::Rows row = connection.stream(
      "SELECT user_id, MIN(first_rated_at), MAX(last_rated_at) FROM {prefix}ratingd_users"
      " GROUP BY user_id ORDER BY user_id");
  while (row.next()) use(row.unsigned_integer(1), row.time(2), row.time(3));
}

std::optional<UserSums> find_user(db::Connection& connection, std::uint64_t user_id,
                                  const RatingFilter& filter) {
  UserSums user;
  user.user_id = user_id;
  {
    db::Rows row = connection.query(
        "SELECT MIN(first_rated_at), MAX(last_rated_at) FROM {prefix}ratingd_users"
        " WHERE user_id = ?",
        user_id);
    if (!row.next() || row.is_null(1)) return std::nullopt;
    user.first_rated_at = row.time(1);
    user.last_rated_at = row.time(2);
  }
  user.by_category = look_up_days(connection, {user_id}, filter)[user_id];
  return user;
}

}  // namespace analytics
