#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "db/bulk_statement.h"
#include "db/connection.h"
#include "store/object_analytics.h"
#include "store/rating_filter.h"

namespace store {

// What one registered user rated. Positive and negative are not known.
struct UserSums {
  std::uint64_t user_id = 0;
  std::array<Sums, model::kCategories.size()> by_category;
  // Of all the user's activity, whatever was taken back later.
  base::Time first_rated_at, last_rated_at;

  [[nodiscard]] std::int64_t total() const {
    std::int64_t count = 0;
    for (const Sums& sums : by_category) count += sums.total;
    return count;
  }
};

enum class UserOrder { total, user_id, first_rated_at, last_rated_at };

// Reads the rollups of registered users. Safe for concurrent use, each caller with its own
// connection. Errors of all functions: as db::Connection.
class UserAnalytics {
 public:
  explicit UserAnalytics(const std::string& table_prefix);

  // Users with ratings that count, "limit" of them after the first "offset". Ties: by id. Reads a
  // row for each user and day.
  [[nodiscard]] Slice<UserSums> list(db::Connection& connection, const RatingFilter& filter,
                                     UserOrder order, bool ascending, std::int64_t offset,
                                     std::int64_t limit) const;

  // One user, in a look-up for each day; nothing for a user who never rated.
  [[nodiscard]] std::optional<UserSums> one(db::Connection& connection, std::uint64_t user_id,
                                            const RatingFilter& filter) const;

 private:
  const std::string table_prefix_;
  const std::string read_times_;
  const db::BulkStatement read_days_;
};

}  // namespace store
