#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analytics/by_id.h"
#include "analytics/rating_filter.h"
#include "db/connection.h"
#include "model/rating.h"

namespace analytics {

using SumsByCategory = std::array<Sums, model::kCategories.size()>;

[[nodiscard]] inline std::int64_t total_of(const SumsByCategory& sums) {
  std::int64_t total = 0;
  for (const Sums& one : sums) total += one.total;
  return total;
}

inline void add(Sums& sums, const Sums& more) {
  sums.total += more.total;
  sums.sum += more.sum;
  sums.positive += more.positive;
  sums.negative += more.negative;
}
inline void add(SumsByCategory& sums, const SumsByCategory& more) {
  for (std::size_t i = 0; i < sums.size(); ++i) add(sums[i], more[i]);
}

// Returns the category with most ratings. If several categories have the same number of ratings,
// returns the first of these categories.
[[nodiscard]] inline model::Category most_used(const SumsByCategory& sums) {
  const auto* const most = std::max_element(
      sums.begin(), sums.end(), [](const Sums& a, const Sums& b) { return a.total < b.total; });
  return model::Category(most - sums.begin());
}

// The sums of objects or users, ordered by type and then id. Entries with a total of 0 are
// optional.
using SumsById = ById<SumsByCategory>;
using SumsByTypeAndId = std::map<std::string, SumsById>;

// DESIGN. A list for several days needs the sum of each object's rows. The server would need a
// temporary table for these sums, which costs several times as much as reading the rows. So the
// server sends the rows in their order, and they are summed up here. The rows are read in slices of
// days, so that a query over too many rows can be aborted in time. If a range covers most of the
// days, the other days are read instead, and are subtracted from the totals.

// Whether sums include the numbers of positive and negative ratings.
enum class Signs { omitted, included };

// Sum up the rollups of objects or users for the filter. Sums for users never include the numbers
// of positive and negative ratings. Read a row for each object, or user, and day, for at most
// "time_limit" plus one slice. Return nothing if this time is not enough. Need memory for all sums.
// REQUIRES for users: the filter has no ids. Errors: as db::Connection.
[[nodiscard]] std::optional<SumsByTypeAndId> sum_up_objects(db::Connection& connection,
                                                            const RatingFilter& filter, Signs signs,
                                                            std::chrono::milliseconds time_limit);
[[nodiscard]] std::optional<SumsByTypeAndId> sum_up_users(db::Connection& connection,
                                                          const RatingFilter& filter,
                                                          std::chrono::milliseconds time_limit);

// Does the same as sum_up_users() for all types together. REQUIRES: called in a snapshot.
[[nodiscard]] std::optional<SumsById> sum_up_users_of_all_types(
    db::Connection& connection, const RatingFilter& filter, std::chrono::milliseconds time_limit);

}  // namespace analytics
