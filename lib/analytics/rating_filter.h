#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include "base/zone.h"
#include "db/connection.h"
#include "model/facets.h"
#include "model/rating.h"

namespace analytics {

// A range of days in the rollups' time zone, including the first and the last day. "last" must not
// be before "first".
struct DayRange {
  base::Day first, last;

  [[nodiscard]] std::int64_t length() const { return (last - first).count() + 1; }
  [[nodiscard]] bool contains(base::Day day) const { return first <= day && day <= last; }

  bool operator==(const DayRange&) const = default;
};

// The half-open time interval [begin, end).
struct TimeSpan {
  base::Time begin, end;
};

// Selects the ratings for certain days, optionally restricted to one category, one type or both.
struct RatingFilter {
  DayRange days;
  std::optional<model::Category> category;
  std::optional<std::string> object_type;
  // True if the days include all ratings, except ratings with a date in the future. If "is_all" is
  // true, queries may also read rollups that are not broken down by day.
  bool is_all = false;
  // The approximate number of days that have ratings but are not in "days", or the largest
  // std::int64_t if the number is unknown.
  std::int64_t other_days = std::numeric_limits<std::int64_t>::max();
  // The SQL subquery returned by cms::Cms::posts_of(). The filter also selects objects with the
  // type "post" if the subquery returns their ids. The subquery selects posts by id, so filters
  // with a subquery cannot use materialized lists or rollups without object ids.
  std::string ids = {};
  bool has_reason = false;         // only ratings with a reason, for recent_ratings()
  model::FacetNames without = {};  // facets that are excluded, for any type
  // If set, lists of users contain only these registered users. Materialized lists ignore the
  // "users" member.
  std::optional<std::set<std::uint64_t>> users = {};

  // Binds the parameters of kind_condition().
  void bind_to(db::Statement& statement) const;
};

// The time limit for summing the rows for a filter's days.
inline constexpr std::chrono::milliseconds kSumTimeLimit{5000};

// Thrown if a report exceeds its time limit.
class TakesTooLong : public std::runtime_error {
 public:
  TakesTooLong() : std::runtime_error("The report takes too long.") {}
};

// Divides the days into slices and calls "work" for each slice. Each slice is short enough for one
// statement. If the time limit expires before all slices are done, stops and returns false.
[[nodiscard]] bool in_slices(const DayRange& days, std::chrono::milliseconds time_limit,
                             const std::function<void(const DayRange&)>& work);

// The sums in a row of a rollup. "sum" is in thousandths.
struct Sums {
  std::int64_t total = 0, sum = 0, positive = 0, negative = 0;

  bool operator==(const Sums&) const = default;
};

// Returns an SQL condition for the filter's category and type. The condition begins with " AND".
// "table" is the prefix of the column names. If the filter has no category, the condition lists all
// categories, so that the server can use an index that begins with the category.
[[nodiscard]] std::string kind_condition(const RatingFilter& filter, const std::string& table = "");
// Returns only the part of kind_condition() that restricts the type. "type" is a parameter or a
// literal. "ids" is RatingFilter::ids.
[[nodiscard]] std::string type_condition(const std::string& type, const std::string& ids,
                                         const std::string& table = "");

}  // namespace analytics
