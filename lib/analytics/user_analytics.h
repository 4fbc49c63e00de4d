#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analytics/ranking.h"
#include "analytics/rating_filter.h"
#include "analytics/rating_sums.h"
#include "db/connection.h"

namespace analytics {

// The sums of one registered user's ratings. The numbers of positive and negative ratings are not
// set, because the rollups for users do not contain them.
struct UserSums {
  std::uint64_t user_id = 0;
  SumsByCategory by_category;
  // The times of the user's first and last rating, including ratings that were withdrawn later.
  base::Time first_rated_at, last_rated_at;

  [[nodiscard]] std::int64_t total() const { return total_of(by_category); }
};

enum class UserOrder { total, user_id, first_rated_at, last_rated_at };

// The sort order for a list of users. Users with equal values are ordered by id.
struct UserComesBefore {
  UserOrder order = UserOrder::total;
  bool ascending = false;

  bool operator()(const UserSums& a, const UserSums& b) const;
};

// Selects a page from a list of users. The list contains all users with ratings, except users whom
// the filter excludes. The page skips "offset" users and contains at most "limit" users. "filter"
// must outlive the page.
class UserPage {
 public:
  UserPage(const RatingFilter& filter, const UserComesBefore& order, std::int64_t offset,
           std::int64_t limit)
      : filter_(filter), offset_(offset), best_(static_cast<std::size_t>(offset + limit), order) {}

  void add(const UserSums& user);
  [[nodiscard]] Slice<UserSums> finish() const;

 private:
  const RatingFilter& filter_;
  std::int64_t offset_;
  TopN<UserSums, UserComesBefore> best_;
  std::int64_t total_ = 0;
};

// The following functions read the rollups for registered users. All functions throw the same
// exceptions as db::Connection.

// Returns a page from the list of users. Reads one row per user and day. Returns nothing if reading
// the rows takes longer than kSumTimeLimit. The filter must not have ids.
[[nodiscard]] std::optional<Slice<UserSums>> list_users(db::Connection& connection,
                                                        const RatingFilter& filter,
                                                        const UserComesBefore& order,
                                                        std::int64_t offset, std::int64_t limit);

// Returns a page of the users in "sums", without reading sums from the database.
[[nodiscard]] Slice<UserSums> list_users(db::Connection& connection, const SumsById& sums,
                                         UserPage page);

// Calls "use(id, first_rated_at, last_rated_at)" for each user, in the order of their ids.
void for_times_of_users(db::Connection& connection,
                        const std::function<void(std::uint64_t, base::Time, base::Time)>& use);

// Returns one user's sums, or nothing if the user has no ratings. Looks up the user's rows for each
// day.
[[nodiscard]] std::optional<UserSums> find_user(db::Connection& connection, std::uint64_t user_id,
                                                const RatingFilter& filter);

}  // namespace analytics
