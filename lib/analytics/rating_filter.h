#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"

namespace analytics {

// Days in the zone of the rollups, first and last included. REQUIRES: first <= last.
struct DayRange {
  base::Day first, last;

  [[nodiscard]] std::int64_t length() const { return (last - first).count() + 1; }
  [[nodiscard]] bool contains(base::Day day) const { return first <= day && day <= last; }

  bool operator==(const DayRange&) const = default;
};

// The half-open interval of times [begin, end).
struct TimeSpan {
  base::Time begin, end;
};

// Selects ratings: those of the days, and of one category or type if it is given.
struct RatingFilter {
  DayRange days;
  std::optional<model::Category> category;
  std::optional<std::string> object_type;
  // The days include all ratings, except those dated in the future: rollups without days can be
  // used, too.
  bool is_all = false;
  // The approximate number of other days with ratings; the maximum if it is unknown.
  std::int64_t other_days = std::numeric_limits<std::int64_t>::max();
  // A subquery without parameters: objects of the type "post" with these ids count as of
  // "object_type", too (cms::Cms::ids_of_type()). Rollups without ids and materialized lists cannot
  // tell them. Empty: none.
  std::string ids = {};
};

// The sums that several rollups have in common. "sum" is in thousandths.
struct Sums {
  std::int64_t total = 0, sum = 0, positive = 0, negative = 0;

  bool operator==(const Sums&) const = default;
};

// " AND category ... AND object_type ..." for a statement; "table" is before the names of columns.
// All categories are named if none is given, so that an index that begins with the category is of
// use.
[[nodiscard]] std::string kind_condition(const RatingFilter& filter, const std::string& table = "");
// Only the part about the type: "type" is a parameter or a literal.
[[nodiscard]] std::string type_condition(const RatingFilter& filter, const std::string& type,
                                         const std::string& table = "");
// Binds the parameters of kind_condition().
void bind_kind(db::Statement& statement, const RatingFilter& filter);

}  // namespace analytics
