#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analytics/rating_filter.h"
#include "analytics/rating_sums.h"
#include "db/connection.h"
#include "model/rating.h"

namespace analytics {

// The sums of the ratings in one category that count on one day, without timestamps.
struct SiteDay {
  base::Day day;
  model::Category category = model::Category::binary;
  model::Totals totals;
};

// Functions that read the rollups for the whole site. Errors (all functions): as db::Connection.

// Returns the first day with ratings.
[[nodiscard]] std::optional<base::Day> first_day(db::Connection& connection);

// Returns the days, ordered by day and category. Days without ratings are omitted. If the filter
// has ids, reads a row for each object and day, for at most kSumTimeLimit plus one slice. In this
// case, the bins of the category "scale" show only how many ratings there are; totals_of_scale()
// returns the real bins. Errors: TakesTooLong, only if the filter has ids.
[[nodiscard]] std::vector<SiteDay> site_days(db::Connection& connection,
                                             const RatingFilter& filter);

// Returns the sums of site_days(), without the numbers of positive and negative ratings.
[[nodiscard]] SumsByCategory site_sums(db::Connection& connection, const RatingFilter& filter);

// Returns the number of voters who added or changed a rating on these days, even if the rating was
// withdrawn later.
[[nodiscard]] std::int64_t active_voters(db::Connection& connection, const DayRange& days);

}  // namespace analytics
