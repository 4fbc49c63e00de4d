#include "analytics/user_analytics.h"

#include <algorithm>
#include <iterator>

#include "db/bulk_statement.h"
#include "db/transaction.h"

namespace analytics {
namespace {

using model::Category;

std::int64_t value_of(const UserSums& user, UserOrder order) {
  switch (order) {
    case UserOrder::user_id:
      return static_cast<std::int64_t>(user.user_id);  // a registered user's id is below 2^63
    case UserOrder::first_rated_at:
      return user.first_rated_at.time_since_epoch().count();
    case UserOrder::last_rated_at:
      return user.last_rated_at.time_since_epoch().count();
    case UserOrder::total:
      break;
  }
  return user.total();
}

constexpr db::BulkStatement kReadDaysOfUser(
    {"SELECT category, object_type, total, sum FROM {prefix}ratingd_user_daily"
     " FORCE INDEX (PRIMARY) WHERE ",
     "(day = ? AND user_id = ?)", " OR ", ""});

// Returns a user's sums. Looks up the user's rows for each day.
SumsByCategory look_up_days(db::Connection& connection, std::uint64_t user_id,
                            const RatingFilter& filter) {
  std::vector<base::Day> days;
  for (base::Day day = filter.days.first; day <= filter.days.last; day += std::chrono::days(1)) {
    days.push_back(day);
  }
  SumsByCategory sums{};
  kReadDaysOfUser.query(
      connection, days,
      [&](db::Statement& statement, base::Day day) { statement.bind(day, user_id); },
      [&](const db::Rows& row) {
        const auto category = static_cast<Category>(row.integer(1));
        if (filter.category && *filter.category != category) return;
        if (filter.object_type && *filter.object_type != row.text(2)) return;
        Sums& one = sums[static_cast<std::size_t>(category)];
        one.total += row.integer(3);
        one.sum += row.integer(4);
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

void UserPage::add(const UserSums& user) {
  if (user.total() <= 0) return;
  if (filter_.users && !filter_.users->contains(user.user_id)) return;
  best_.add(user);
  ++total_;
}

Slice<UserSums> UserPage::finish() const {
  Slice<UserSums> slice{best_.sorted(), total_};
  slice.items.erase(slice.items.begin(),
                    slice.items.begin() + std::min(offset_, std::ssize(slice.items)));
  return slice;
}

std::optional<Slice<UserSums>> list_users(db::Connection& connection, const RatingFilter& filter,
                                          const UserComesBefore& order, std::int64_t offset,
                                          std::int64_t limit) {
  const db::Transaction snapshot = db::one_snapshot(connection);
  const auto sums = sum_up_users_of_all_types(connection, filter, kSumTimeLimit);
  if (!sums) return std::nullopt;
  return list_users(connection, *sums, UserPage(filter, order, offset, limit));
}

Slice<UserSums> list_users(db::Connection& connection, const SumsById& sums, UserPage page) {
  for_times_of_users(connection, [&](std::uint64_t id, base::Time first, base::Time last) {
    if (const SumsByCategory* const found = sums.find(id)) page.add({id, *found, first, last});
  });
  return page.finish();
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
  user.by_category = look_up_days(connection, user_id, filter);
  return user;
}

}  // namespace analytics
