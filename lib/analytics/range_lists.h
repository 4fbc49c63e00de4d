#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analytics/materialized_lists.h"
#include "analytics/rating_sums.h"
#include "db/connection.h"

namespace analytics {

// DESIGN. The sums of objects, or of users, over any days need a row for each of them and day: too
// many to read per request. So the lists of the period "all" include, of objects and of users, in
// some bytes for each row and of each type
//
//   …_ids   all of them, in the order of their first days, of users with the first and last time;
//           and of the type "" the boundaries;
//   …_days  of each category, the sums of each day: the part is the number of days before it;
//   …_sums  of each category, the sums of all days before each boundary, in up to kPartsOfBoundary
//           parts.
//
// The sums of a range are those before the boundary nearest to its end, minus those before the
// boundary nearest to its beginning, corrected by the days between them: the time does not depend
// on the length of the range.

inline constexpr std::int64_t kPartsOfBoundary = 1000;

// The boundaries for days with these numbers of ratings, each as the number of days before it. The
// last one is after all days. Between two of them is at most one kShares-th of the ratings, or one
// day; there are at most 2 * kShares + 1.
inline constexpr std::int64_t kShares = 24;
[[nodiscard]] std::vector<std::int64_t> boundaries_of(const std::vector<std::int64_t>& ratings);

// Sums to add (1) or to subtract (-1): of the days from "first" to "last", or of all days before
// the boundary with the number "first".
struct RangeParts {
  bool are_days = false;
  std::int64_t first = 0, last = 0, sign = 1;
};

// What the sums of the days [begin, end) are made of: at most two boundaries and the days between
// two, but no more than half of them at each end. REQUIRES: 0 <= begin < end <= the last boundary.
[[nodiscard]] std::vector<RangeParts> parts_of_range(std::int64_t begin, std::int64_t end,
                                                     const std::vector<std::int64_t>& boundaries);

// Which lists, and what they are made of.
struct RangeSource {
  ListKind ids, days, sums;
  bool are_objects;  // whose sums have signs; users have times instead
  const char* rows;  // a statement up to the day: type, id, category and sums

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

// The sums over the days, of which a row for each object, or user, and day is read. Appends the
// lists to "parts", or none if there are more than kListTypes types or very many rows. Errors: as
// db::Connection.
[[nodiscard]] SumsByTypeAndId add_range_lists(std::vector<ListPart>& parts,
                                              db::Connection& connection, const DayRange& days,
                                              const RangeSource& source);

// As sum_up_objects() and list_users(), from the lists. Nothing if there are no lists of these days
// that were made in this zone, or days later than the one after them. REQUIRES: the filter has no
// ids. Errors: as db::Connection.
[[nodiscard]] std::optional<Materialized<SumsByTypeAndId>> materialized_sums_of_objects(
    db::Connection& connection, const std::string& zone, const RatingFilter& filter);
[[nodiscard]] std::optional<Materialized<Slice<UserSums>>> list_materialized_users(
    db::Connection& connection, const std::string& zone, const RatingFilter& filter,
    const UserComesBefore& order, std::int64_t offset, std::int64_t limit);

}  // namespace analytics
