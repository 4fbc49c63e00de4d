#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analytics/ranking.h"
#include "analytics/rating_filter.h"
#include "analytics/rating_sums.h"
#include "db/connection.h"
#include "model/object_set.h"
#include "model/rating.h"

namespace analytics {

// The sums of the ratings of one object in one category that count on one day.
struct ObjectDay {
  model::Object object;
  model::Category category = model::Category::binary;
  base::Day day;
  Sums sums;
};

// Reads of the rollups of single objects. Errors of all functions: as db::Connection.

// These three functions sum up a row for each object and day. They return nothing if that takes
// longer than kSumTimeLimit.

// The objects with ratings that count, "limit" of them after the first "offset". Ties: more
// ratings first, then by type and id. REQUIRES: the filter has a category.
[[nodiscard]] std::optional<Slice<RankedObject>> top_objects(db::Connection& connection,
                                                             const RatingFilter& filter,
                                                             const RankingQuery& ranking,
                                                             std::int64_t offset,
                                                             std::int64_t limit);

// Those with most ratings of all categories, at most "limit", without "hidden" ones; ties by id
// and type.
[[nodiscard]] std::optional<std::vector<ObjectSums>> most_rated_objects(
    db::Connection& connection, const RatingFilter& filter, const model::ObjectSet& hidden,
    std::size_t limit);

// How many objects of each type have ratings that count.
[[nodiscard]] std::optional<std::map<std::string, std::int64_t>> rated_objects(
    db::Connection& connection, const RatingFilter& filter);

// The object's days, in any order, of all categories. Costs one lookup per object and day. Days
// without ratings are omitted.
[[nodiscard]] std::vector<ObjectDay> days_of_objects(db::Connection& connection,
                                                     std::span<const model::Object> objects,
                                                     const DayRange& days);

}  // namespace analytics
