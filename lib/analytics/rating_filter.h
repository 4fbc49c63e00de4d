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
  // cms::Cms::posts_of(): objects of the type "post" with these ids count as of "object_type", too.
  // Rollups without ids of objects and materialized lists cannot tell them.
  std::string ids = {};
  bool has_reason = false;         // only ratings with a reason, for RatingLists::recent()
  model::FacetNames without = {};  // facets, of any type
  // The registered users that a list of users may contain. Applies only to lists that are computed.
  std::optional<std::set<std::uint64_t>> users = {};

  // Binds the parameters of kind_condition().
  void bind_to(db::Statement& statement) const;
};

// How long the sums of a row for each object, or user, and day may take.
inline constexpr std::chrono::milliseconds kSumTimeLimit{5000};

// A report reads more than its time allows.
class TakesTooLong : public std::runtime_error {
 public:
  TakesTooLong() : std::runtime_error("The report takes too long.") {}
};

// Calls "work" with slices of the days, for whose rows a statement has the time. Returns false,
// after some slices, if that takes longer than "time_limit".
[[nodiscard]] bool in_slices(const DayRange& days, std::chrono::milliseconds time_limit,
                             const std::function<void(const DayRange&)>& work);

// The sums that several rollups have in common. "sum" is in thousandths.
struct Sums {
  std::int64_t total = 0, sum = 0, positive = 0, negative = 0;

  bool operator==(const Sums&) const = default;
};

// " AND category ... AND object_type ..." for a statement; "table" is before the names of columns.
// All categories are named if none is given, so that an index that begins with the category is of
// use.
[[nodiscard]] std::string kind_condition(const RatingFilter& filter, const std::string& table = "");
// Only the part about the type, a parameter or a literal; "ids" are RatingFilter::ids.
[[nodiscard]] std::string type_condition(const std::string& type, const std::string& ids,
                                         const std::string& table = "");

}  // namespace analytics
