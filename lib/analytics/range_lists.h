#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analytics/materialized_lists.h"
#include "analytics/rating_sums.h"
#include "db/connection.h"

namespace analytics {

// DESIGN. Range lists speed up reports for arbitrary days, because a report does not have to read
// one row per object or user for each day. Range lists belong to the materialized lists for the
// "all" period. Each object type has three range lists for objects and three for users. Range lists
// contain only a few bytes for each row in the daily rollups.
//
// The lists object_ids and user_ids contain all ids, ordered by each id's first day with ratings.
// The list user_ids also contains the times of each user's first and last rating. A boundary is a
// point between two days. The boundaries are stored in the object_ids and user_ids lists for the
// empty object type. In the lists object_days and user_days, each part contains the sums for one
// category and day. Part 0 contains the sums for the first day. The lists object_sums and user_sums
// contain, for each category and boundary, the sums of all days before the boundary. The sums
// before one boundary are stored in up to kPartsOfBoundary parts.
//
// The sums for a range of days are computed in three steps. Step 1 starts with the stored sums of
// all days before the boundary nearest to the range's end. Step 2 subtracts the stored sums of all
// days before the boundary nearest to the range's beginning. Step 3 adds or subtracts the sums of
// the days between each end of the range and the nearest boundary. Queries take about the same time
// for short and long ranges.

inline constexpr std::int64_t kPartsOfBoundary = 1000;

// Divides a sequence of days at boundaries, and returns the number of days before each boundary.
// "ratings" contains the number of ratings on each day. The last boundary is after all days. The
// days between two successive boundaries together have at most 1/kShares of all ratings, unless
// only a single day among them has ratings. There are at most 2 * kShares + 1 boundaries.
inline constexpr std::int64_t kShares = 24;
[[nodiscard]] std::vector<std::int64_t> boundaries_of(const std::vector<std::int64_t>& ratings);

// Sums that must be added (sign 1) or subtracted (sign -1). If "are_days" is true, the sums are for
// the days from "first" to "last". If "are_days" is false, the sums are for all days before the
// boundary at the index "first".
struct RangeParts {
  bool are_days = false;
  std::int64_t first = 0, last = 0, sign = 1;
};

// Returns the stored parts needed to compute the sums of the days [begin, end). "begin" must be
// less than "end", and "end" must not be greater than the last boundary.
[[nodiscard]] std::vector<RangeParts> parts_of_range(std::int64_t begin, std::int64_t end,
                                                     const std::vector<std::int64_t>& boundaries);

// The range lists for objects or users, and the SQL statement that reads the rollup from which the
// lists are built.
struct RangeSource {
  ListKind ids, days, sums;
  // True if the lists contain objects, and false if the lists contain users. Only sums for objects
  // include the numbers of positive and negative ratings.
  bool are_objects;
  // An SQL statement that selects the columns type, id, category and sums. The statement ends with
  // the condition "day = ", to which the caller appends the day.
  const char* rows;

  [[nodiscard]] bool has_signs_of(model::Category category) const {
    return are_objects && has_signs(category);
  }
};
inline constexpr RangeSource kRangesOfObjects = {
    ListKind::object_ids, ListKind::object_days, ListKind::object_sums, true,
    "SELECT object_type, object_id, category, total, sum, positive, negative"
    " FROM {prefix}ratingd_daily FORCE INDEX (PRIMARY) WHERE category IN (0, 1, 2) AND day = "};
inline constexpr RangeSource kRangesOfUsers = {
    ListKind::user_ids, ListKind::user_days, ListKind::user_sums, false,
    "SELECT object_type, user_id, category, total, sum"
    " FROM {prefix}ratingd_user_daily FORCE INDEX (PRIMARY) WHERE day = "};

// Returns each object's or user's sums over all days in "days". Reads one row per object, or per
// user, for each day. Appends the lists to "parts", unless there are more than kListTypes types or
// too many rows. Throws the same exceptions as db::Connection.
[[nodiscard]] SumsByTypeAndId add_range_lists(std::vector<ListPart>& parts,
                                              db::Connection& connection, const DayRange& days,
                                              const RangeSource& source);

// Return the same results as sum_up_objects() and list_users(), but read range lists. Return
// nothing if no range lists exist for the time zone "zone" and the filter's days, or if the range
// lists end more than one day before the filter's last day. The filter must not have ids. Throw the
// same exceptions as db::Connection.
[[nodiscard]] std::optional<Materialized<SumsByTypeAndId>> materialized_sums_of_objects(
    db::Connection& connection, const std::string& zone, const RatingFilter& filter);
[[nodiscard]] std::optional<Materialized<Slice<UserSums>>> list_materialized_users(
    db::Connection& connection, const std::string& zone, const RatingFilter& filter,
    const UserComesBefore& order, std::int64_t offset, std::int64_t limit);

}  // namespace analytics
