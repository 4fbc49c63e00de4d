#include "analytics/user_analytics.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace analytics {
namespace {

using model::Category;

struct UserAndDay {
  std::uint64_t user_id;
  base::Day day;
};

// A user in a list that is being sorted.
struct Listed {
  std::int64_t value;  // sort key
  std::uint64_t user_id;
  base::Time first, last;
};

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
      read_times_("SELECT MIN(first_rated_at), MAX(last_rated_at) FROM " + table_prefix +
                  "ratingd_users WHERE user_id = ?"),
      read_all_times_("SELECT user_id, MIN(first_rated_at), MAX(last_rated_at) FROM " +
                      table_prefix + "ratingd_users GROUP BY user_id ORDER BY user_id"),
      read_days_({"SELECT category, object_type, total, sum FROM " + table_prefix +
                      "ratingd_user_daily FORCE INDEX (PRIMARY) WHERE ",
                  "(day = ? AND user_id = ?)", " OR ", ""}) {}

std::optional<SumsById> UserAnalytics::sums(db::Connection& connection,
                                            const RatingFilter& filter) const {
  auto by_type =
      sum_up_users(connection, table_prefix_, filter, Types::together, ObjectAnalytics::kTimeLimit);
  if (!by_type) return std::nullopt;
  return std::move((*by_type)[""]);
}

Slice<UserSums> UserAnalytics::list(db::Connection& connection, const SumsById& sums,
                                    const UserComesBefore& order, std::int64_t offset,
                                    std::int64_t limit) const {
  std::vector<Listed> users;
  for_times(connection, [&](std::uint64_t id, base::Time first, base::Time last) {
    const auto found = sums.find(id);
    if (found == sums.end() || total_of(found->second) <= 0) return;
    users.push_back({value_of({id, found->second, first, last}, order.order), id, first, last});
  });
  Slice<UserSums> slice;
  slice.total = std::ssize(users);
  const auto begin = users.begin() + std::min(offset, slice.total);
  const auto end = begin + std::min(limit, users.end() - begin);
  std::partial_sort(users.begin(), end, users.end(), [&](const Listed& a, const Listed& b) {
    if (a.value != b.value) return order.ascending ? a.value < b.value : a.value > b.value;
    return a.user_id < b.user_id;
  });
  for (auto user = begin; user != end; ++user) {
    slice.items.push_back({user->user_id, sums.at(user->user_id), user->first, user->last});
  }
  return slice;
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
