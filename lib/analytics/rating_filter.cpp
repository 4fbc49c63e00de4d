#include "analytics/rating_filter.h"

#include <algorithm>

#include "base/clock.h"
#include "base/text.h"

namespace analytics {

bool in_slices(const DayRange& days, std::chrono::milliseconds time_limit,
               const std::function<void(const DayRange&)>& work) {
  constexpr std::chrono::days kSlice{32};
  const base::Stopwatch stopwatch;
  for (base::Day first = days.first; first <= days.last; first += kSlice) {
    if (stopwatch.elapsed() > time_limit) return false;
    work({first, std::min(first + kSlice - std::chrono::days(1), days.last)});
  }
  return true;
}

namespace {

// Returns the condition that excludes facets whose names are in "without". The condition recognizes
// facets in the same way as model::facet_in().
std::string facet_condition(const model::FacetNames& without, const std::string& table) {
  if (without.empty()) return "";
  const std::string type = table + "object_type";
  return " AND NOT (" + type + " LIKE '_%:%' AND SUBSTRING_INDEX(" + type + ", ':', -1) IN (" +
         base::joined(without, ",", [](const std::string&) { return std::string("?"); }) + "))";
}

}  // namespace

std::string kind_condition(const RatingFilter& filter, const std::string& table) {
  return " AND " + table + "category " + (filter.category ? "= ?" : "IN (0, 1, 2)") +
         (filter.object_type ? type_condition("?", filter.ids, table) : "") +
         facet_condition(filter.without, table);
}

std::string type_condition(const std::string& type, const std::string& ids,
                           const std::string& table) {
  const std::string is_type = table + "object_type = " + type;
  if (ids.empty()) return " AND " + is_type;
  return " AND (" + is_type + " OR " + table + "object_type = 'post' AND " + table +
         "object_id IN (" + ids + "))";
}

void RatingFilter::bind_to(db::Statement& statement) const {
  if (category) statement.bind(*category);
  if (object_type) statement.bind(*object_type);
  for (const std::string& name : without) statement.bind(name);
}

}  // namespace analytics
