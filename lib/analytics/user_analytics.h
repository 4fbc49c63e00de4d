#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analytics/object_analytics.h"
#include "analytics/rating_filter.h"
#include "analytics/site_analytics.h"
#include "db/bulk_statement.h"
#include "db/connection.h"

namespace analytics {

// The ratings of one registered user. Positive and negative are not known.
struct UserSums {
  std::uint64_t user_id = 0;
  SumsByCategory by_category;
  // Includes ratings that were withdrawn later.
  base::Time first_rated_at, last_rated_at;

  [[nodiscard]] std::int64_t total() const { return total_of(by_category); }
};

enum class UserOrder { total, user_id, first_rated_at, last_rated_at };

// The order of users in a list. Ties: by id.
struct UserComesBefore {
  UserOrder order = UserOrder::total;
  bool ascending = false;

  bool operator()(const UserSums& a, const UserSums& b) const;
};

// Reads the rollups of registered users. Safe for concurrent use, each caller with its own
// connection. Errors of all functions: as db::Connection.
class UserAnalytics {
 public:
  explicit UserAnalytics(const std::string& table_prefix);

  // Those of the users with ratings that count, "limit" of them after the first "offset". Reads a
  // row for each user and day, or for each user if the days are most of all: nothing if that takes
  // longer than ObjectAnalytics::kTimeLimit. REQUIRES: the filter has no ids.
  [[nodiscard]] std::optional<Slice<UserSums>> list(db::Connection& connection,
                                                    const RatingFilter& filter,
                                                    const UserComesBefore& order,
                                                    std::int64_t offset, std::int64_t limit) const;

  // The same of users with these sums.
  [[nodiscard]] Slice<UserSums> list(db::Connection& connection, const SumsById& sums,
                                     const UserComesBefore& order, std::int64_t offset,
                                     std::int64_t limit) const;

  // Calls "use(id, first_rated_at, last_rated_at)" for each user, in the order of their ids.
  void for_times(db::Connection& connection,
                 const std::function<void(std::uint64_t, base::Time, base::Time)>& use) const;

  // One user, with one lookup per day; nothing for a user without ratings.
  [[nodiscard]] std::optional<UserSums> one(db::Connection& connection, std::uint64_t user_id,
                                            const RatingFilter& filter) const;

 private:
  struct Listing;

  template <typename Ratings>
  [[nodiscard]] Listing listing_of(db::Connection& connection, const ById<Ratings>& users,
                                   const UserComesBefore& order) const;
  [[nodiscard]] Slice<UserSums> list_of_all_types(db::Connection& connection, RatingFilter filter,
                                                  const UserComesBefore& order, std::int64_t offset,
                                                  std::int64_t limit) const;
  [[nodiscard]] std::vector<UserSums> read_users(db::Connection& connection,
                                                 const std::vector<std::uint64_t>& ids) const;
  [[nodiscard]] SumsById look_up_days(db::Connection& connection,
                                      const std::vector<std::uint64_t>& ids,
                                      const RatingFilter& filter) const;

  const std::string table_prefix_, users_;
  const SiteAnalytics site_;
  const std::string read_times_, read_all_times_;
  const db::BulkStatement read_users_, read_days_;
};

}  // namespace analytics
