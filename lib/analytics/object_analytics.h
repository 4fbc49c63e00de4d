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

// The sums of one object's ratings that count in one category on one day.
struct ObjectDay {
  model::Object object;
  model::Category category = model::Category::binary;
  base::Day day;
  Sums sums;
};

// Returns the objects' days in all categories, in any order. Days without ratings are omitted.
// Costs one lookup for each object and day. Errors: as db::Connection.
[[nodiscard]] std::vector<ObjectDay> days_of_objects(db::Connection& connection,
                                                     std::span<const model::Object> objects,
                                                     const DayRange& days);

}  // namespace analytics
