#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analytics/materialized_lists.h"
#include "analytics/rating_sums.h"
#include "db/connection.h"

namespace analytics {

// DESIGN. Without additional lists, a request for arbitrary days would have to read too many rows:
// one row for each object, or each user, on each day. Therefore, the period "all" has six
// additional lists for each type: three for objects and three for users. The additional lists need
// only a few bytes for each row with daily sums.
//
// The list …_ids contains the ids of all objects or users, in the order of their first days. A list
// of users also contains the times of each user's first and last rating. The list …_ids with an
// empty type contains the boundaries, which are points between two days. The list …_days contains
// the sums for each category and day. In the list …_days, part 0 contains the sums for the first
// day, part 1 for the second day, and so on. The list …_sums contains, for each category and
// boundary, the sums of all days before the boundary. The sums before one boundary are stored in up
// to kPartsOfBoundary parts.
//
// The sums for a range of days are computed in three steps. Step 1 starts with the stored sums of
// all days before the boundary that is nearest to the range's end. Step 2 subtracts the stored sums
// of all days before the boundary that is nearest to the range's beginning. Step 3 corrects the
// result by the sums of the days between each of these boundaries and the beginning or end of the
// range. Therefore, the duration of a query does not depend on the length of its range.

inline constexpr std::int64_t kPartsOfBoundary = 1000;

// Returns the boundaries for a sequence of days. "ratings" contains the number of ratings on each
// day. Each boundary is a point between two days, given as the number of days before it. The last
// boundary is after all days. Together, the days between two successive boundaries have at most
// 1/kShares of all ratings, unless one of these days alone has more ratings. There are at most
// 2 * kShares + 1 boundaries.
inline constexpr std::int64_t kShares = 24;
[[nodiscard]] std::vector<std::int64_t> boundaries_of(const std::vector<std::int64_t>& ratings);

// Sums that must be added (sign 1) or subtracted (sign -1). If "are_days" is true, the sums are for
// the days from "first" to "last". If "are_days" is false, the sums are for all days before the
// boundary with the index "first".
struct RangeParts {
  bool are_days = false;
  std::int64_t first = 0, last = 0, sign = 1;
};

// Returns the stored parts from which the sums of the days [begin, end) can be computed. The parts
// are the sums of all days before at most two boundaries, and the daily sums between each end of
// the range and the nearest boundary. "begin" must be less than "end", and "end" must not be
// greater than the last boundary.
[[nodiscard]] std::vector<RangeParts> parts_of_range(std::int64_t begin, std::int64_t end,
                                                     const std::vector<std::int64_t>& boundaries);

// The lists of objects or users, and the statement that reads their rows.
struct RangeSource {
  ListKind ids, days, sums;
  // True if the lists are about objects. Sums for objects include the numbers of positive and
  // negative ratings, and sums for users do not.
  bool are_objects;
  // An SQL statement that selects the columns type, id, category and sums. The caller appends the
  // day to the condition "day = " at the end of the statement.
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

// Returns the sums over the days. Reads one row for each object, or each user, on each day. Appends
// the lists to "parts", unless there are more than kListTypes types or too many rows. Throws the
// same exceptions as db::Connection.
[[nodiscard]] SumsByTypeAndId add_range_lists(std::vector<ListPart>& parts,
                                              db::Connection& connection, const DayRange& days,
                                              const RangeSource& source);

// Return the same results as sum_up_objects() and list_users(), but use the lists. Return nothing
// if the time zone "zone" has no lists for the filter's days, or if the filter's last day is more
// than one day after the last day in the lists. The filter must not have ids. Throw the same
// exceptions as db::Connection.
[[nodiscard]] std::optional<Materialized<SumsByTypeAndId>> materialized_sums_of_objects(
    db::Connection& connection, const std::string& zone, const RatingFilter& filter);
[[nodiscard]] std::optional<Materialized<Slice<UserSums>>> list_materialized_users(
    db::Connection& connection, const std::string& zone, const RatingFilter& filter,
    const UserComesBefore& order, std::int64_t offset, std::int64_t limit);

}  // namespace analytics
