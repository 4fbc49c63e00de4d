#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analytics/materialized_lists.h"
#include "analytics/rating_sums.h"
#include "db/connection.h"

namespace analytics {

// DESIGN. To sum up objects' or users' ratings over arbitrary days, one row for each object or user
// and day is needed. These are too many rows to read for each request. Therefore, the period "all"
// has three additional lists of objects and three additional lists of users for each type. These
// lists take a few bytes for each row:
//
//   - …_ids: the ids of all objects or users, in the order of their first days. A list of users
//     also contains the times of the first and last rating. The list for the empty type contains
//     the boundaries.
//   - …_days: for each category, the sums for each day. A part's number is the number of days
//     before this day.
//   - …_sums: for each category, the sums of all days before each boundary, in up to
//     kPartsOfBoundary parts.
//
// A boundary is a point between two days. A range's sums are computed in three steps. Take the sums
// before the boundary nearest to the range's end. Subtract the sums before the boundary nearest to
// its beginning. Correct the result by the days between these boundaries and the range's ends. So a
// query's duration does not depend on the length of the range.

inline constexpr std::int64_t kPartsOfBoundary = 1000;

// Returns the boundaries for days with these numbers of ratings. A boundary is represented by the
// number of days before it. The last boundary is after all days. Between two boundaries, there is
// at most one kShares-th of the ratings, or a single day. There are at most 2 * kShares + 1
// boundaries.
inline constexpr std::int64_t kShares = 24;
[[nodiscard]] std::vector<std::int64_t> boundaries_of(const std::vector<std::int64_t>& ratings);

// Sums to add (sign 1) or to subtract (sign -1). If "are_days" is true, they are the sums of the
// days from "first" to "last". Otherwise, they are the sums of all days before the boundary with
// the index "first".
struct RangeParts {
  bool are_days = false;
  std::int64_t first = 0, last = 0, sign = 1;
};

// Returns the parts that make up the sums of the days [begin, end). The parts refer to at most two
// boundaries and, at each end of the range, to at most half the days between two boundaries.
// REQUIRES: 0 <= begin < end <= the last boundary.
[[nodiscard]] std::vector<RangeParts> parts_of_range(std::int64_t begin, std::int64_t end,
                                                     const std::vector<std::int64_t>& boundaries);

// The lists of objects or users, and the source from which they are made.
struct RangeSource {
  ListKind ids, days, sums;
  // If true, sums contain positive and negative counts; if false, the rows are about users.
  bool are_objects;
  // A statement that selects type, id, category and sums. The caller adds the day at its end.
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

// Returns the sums over the days. Reads a row for each object, or user, and day. Appends the lists
// to "parts", unless there are more than kListTypes types or too many rows. Errors: same as
// db::Connection.
[[nodiscard]] SumsByTypeAndId add_range_lists(std::vector<ListPart>& parts,
                                              db::Connection& connection, const DayRange& days,
                                              const RangeSource& source);

// Return the same results as sum_up_objects() and list_users(), but use the lists. Return nothing
// if there are no lists for these days in this zone, or if the filter ends more than one day after
// the lists' days. REQUIRES: the filter has no ids. Errors: same as db::Connection.
[[nodiscard]] std::optional<Materialized<SumsByTypeAndId>> materialized_sums_of_objects(
    db::Connection& connection, const std::string& zone, const RatingFilter& filter);
[[nodiscard]] std::optional<Materialized<Slice<UserSums>>> list_materialized_users(
    db::Connection& connection, const std::string& zone, const RatingFilter& filter,
    const UserComesBefore& order, std::int64_t offset, std::int64_t limit);

}  // namespace analytics
