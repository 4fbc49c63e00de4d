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

// The sums of the ratings of one category that count on one day, without times.
struct SiteDay {
  base::Day day;
  model::Category category = model::Category::binary;
  model::Totals totals;
};

// Reads of the rollups of the whole site. Errors of all functions: as db::Connection.

// The first day with ratings.
[[nodiscard]] std::optional<base::Day> first_day(db::Connection& connection);

// Ordered by day and category; days without ratings are omitted. With ids in the filter a row for
// each object and day is read, for at most kSumTimeLimit plus one slice; then the bins of scale
// only tell how many ratings there are: totals_of_scale() knows more. Errors: TakesTooLong, with
// ids only.
[[nodiscard]] std::vector<SiteDay> site_days(db::Connection& connection,
                                             const RatingFilter& filter);

// The sums of site_days(); positive and negative are left out.
[[nodiscard]] SumsByCategory site_sums(db::Connection& connection, const RatingFilter& filter);

// The number of voters who rated or changed a rating on these days, also if it was withdrawn
// later.
[[nodiscard]] std::int64_t active_voters(db::Connection& connection, const DayRange& days);

}  // namespace analytics
