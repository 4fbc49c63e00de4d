#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analytics/rating_filter.h"
#include "analytics/rating_sums.h"
#include "db/connection.h"
#include "model/rating.h"

namespace analytics {

// The position from which to continue a list of ratings. The list begins with the newest rating.
// Several ratings with the same object and category may have the same timestamp and differ only in
// their voters. The member "listed_at_this_time" is the number of ratings with the cursor's object,
// category and timestamp on earlier pages, which the next page skips.
struct Cursor {
  base::Time rated_at;
  model::Object object;
  model::Category category = model::Category::binary;
  std::int64_t listed_at_this_time = 0;
};

// A page from a list of ratings, with the newest rating first.
struct RecentRatings {
  std::vector<model::Rating> ratings;
  std::optional<Cursor> rest;  // where to continue, if the time limit was reached first
};

// The following functions list individual votes. Votes that do not count, such as held votes, are
// omitted. The database server reads each list in the order of an index, without sorting. All
// functions throw the same exceptions as db::Connection.

// Returns up to "limit" of the newest ratings in "spans". If there is a cursor, begins at the
// cursor. Applies the filter's category and type. If the filter's has_reason is true, returns only
// ratings with a reason. Scans the votes in the spans, including held votes, until enough ratings
// are found or "time_limit" has passed. If the time limit is reached, the result may contain fewer
// ratings or none, but its cursor always advances. The spans must be disjoint and ordered from
// newest to oldest.
[[nodiscard]] RecentRatings recent_ratings(db::Connection& connection,
                                           std::span<const TimeSpan> spans,
                                           const RatingFilter& filter,
                                           const std::optional<Cursor>& cursor, std::int64_t limit,
                                           std::chrono::milliseconds time_limit);

// Returns the latest timestamp among the ratings for "day" that are stored only as sums. Applies
// the filter's category and type.
[[nodiscard]] std::optional<base::Time> last_aggregated(db::Connection& connection, base::Day day,
                                                        const RatingFilter& filter);

struct RatingsPage {
  std::int64_t offset = 0, limit = 0;
  bool oldest_first = false;
};
// Return a page with one voter's ratings, or with one object's ratings in "categories". Apply the
// filter's category and type. Keep only the returned page in memory. "categories" must not be
// empty.
[[nodiscard]] std::vector<model::Rating> ratings_of_voter(db::Connection& connection,
                                                          model::VoterId voter,
                                                          const TimeSpan& span,
                                                          const RatingFilter& filter,
                                                          RatingsPage page);
[[nodiscard]] std::vector<model::Rating> ratings_of_object(
    db::Connection& connection, const model::Object& object, const TimeSpan& span,
    std::span<const model::Category> categories, RatingsPage page);

// If a filter contains object ids, these functions sum individual ratings, because the rollups do
// not contain the required sums. "span" must cover exactly the filter's days. The function
// totals_of_scale() returns the sums and the bins for the "scale" category, including ratings that
// are stored only as sums. The function sums_of_users() maps the id of each registered user to the
// user's sums, without the numbers of positive and negative ratings. The function sums_of_voter()
// returns the sums of one voter. The functions totals_of_scale() and sums_of_users() read every
// rating, and throw TakesTooLong soon after kSumTimeLimit expires.
[[nodiscard]] model::Totals totals_of_scale(db::Connection& connection, const TimeSpan& span,
                                            RatingFilter filter);
[[nodiscard]] SumsById sums_of_users(db::Connection& connection, const TimeSpan& span,
                                     const RatingFilter& filter);
[[nodiscard]] SumsByCategory sums_of_voter(db::Connection& connection, model::VoterId voter,
                                           const TimeSpan& span, const RatingFilter& filter);

// Lists of ratings do not contain ratings that are stored only as sums. Returns how many of the
// object's ratings on the filter's days are stored only as sums.
[[nodiscard]] std::int64_t count_aggregated(db::Connection& connection, const model::Object& object,
                                            RatingFilter filter);

}  // namespace analytics
