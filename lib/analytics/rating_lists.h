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

// The position at which a list of ratings, newest first, continues: after "listed_at_this_time"
// ratings of this object and category at this time. Only the voter distinguishes such ratings.
struct Cursor {
  base::Time rated_at;
  model::Object object;
  model::Category category = model::Category::binary;
  std::int64_t listed_at_this_time = 0;
};

// A page of a list, newest first.
struct RecentRatings {
  std::vector<model::Rating> ratings;
  std::optional<Cursor> rest;  // where to go on, if time was over before the list had an end
};

// Lists of single votes that count, each read by an index. Errors of all functions: as
// db::Connection.

// The newest ratings in "spans", at most "limit", starting at the cursor if there is one. "spans"
// are newest first and disjoint. Applies the filter's category and type. Scans all votes of the
// spans, including held ones, or only those with a reason if the filter asks for it, until enough
// ratings are found or "time_limit" is over; then the result may be shorter or empty. Every call
// makes progress.
[[nodiscard]] RecentRatings recent_ratings(db::Connection& connection,
                                           std::span<const TimeSpan> spans,
                                           const RatingFilter& filter,
                                           const std::optional<Cursor>& cursor, std::int64_t limit,
                                           std::chrono::milliseconds time_limit);

// The time of the latest change among the ratings that count on "day" and are stored as sums
// only. Applies the filter's category and type.
[[nodiscard]] std::optional<base::Time> last_aggregated(db::Connection& connection, base::Day day,
                                                        const RatingFilter& filter);

struct RatingsPage {
  std::int64_t offset = 0, limit = 0;
  bool oldest_first = false;
};
// The ratings of one voter, or of one object in "categories". Applies the filter's category and
// type. Holds only this page in memory. REQUIRES: "categories" is not empty.
[[nodiscard]] std::vector<model::Rating> ratings_of_voter(db::Connection& connection,
                                                          model::VoterId voter,
                                                          const TimeSpan& span,
                                                          const RatingFilter& filter,
                                                          RatingsPage page);
[[nodiscard]] std::vector<model::Rating> ratings_of_object(
    db::Connection& connection, const model::Object& object, const TimeSpan& span,
    std::span<const model::Category> categories, RatingsPage page);

// Sums that rollups cannot tell for a filter with ids: of "scale" with the bins of its values,
// also of ratings that are stored as sums only; of registered users, by id, without positive and
// negative; of one voter. "span" are the filter's days. The first two read every rating, for at
// most kSumTimeLimit and some statements. Errors: TakesTooLong.
[[nodiscard]] model::Totals totals_of_scale(db::Connection& connection, const TimeSpan& span,
                                            RatingFilter filter);
[[nodiscard]] SumsById sums_of_users(db::Connection& connection, const TimeSpan& span,
                                     const RatingFilter& filter);
[[nodiscard]] SumsByCategory sums_of_voter(db::Connection& connection, model::VoterId voter,
                                           const TimeSpan& span, const RatingFilter& filter);

// The number of ratings of the object on these days that are stored as sums only, so that no list
// has them.
[[nodiscard]] std::int64_t count_aggregated(db::Connection& connection, const model::Object& object,
                                            RatingFilter filter);

}  // namespace analytics
