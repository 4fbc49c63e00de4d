#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "analytics/calendar.h"
#include "analytics/rating_filter.h"
#include "analytics/report.h"
#include "api/fields.h"
#include "api/table.h"
#include "base/zone.h"
#include "json/codec.h"
#include "model/rating.h"

namespace handlers {

using analytics::Period;

[[nodiscard]] Period read_period(api::Fields& fields);

// Returns the period that has the same length as "range" and ends just before it. Returns nothing
// if the database cannot store the days in this period.
[[nodiscard]] std::optional<analytics::DayRange> days_before(const analytics::DayRange& range);

[[nodiscard]] analytics::TimeSpan moments_of(const analytics::DayRange& range,
                                             const base::ZoneHistory& zones);

enum class Interval { day, week, month, automatic };

// start_of() returns the first day of the interval that contains "day". For an interval that begins
// on "start", next_after() returns the first day of the next interval. "interval" must not be
// Interval::automatic.
[[nodiscard]] base::Day start_of(Interval interval, base::Day day, std::chrono::weekday week_start);
[[nodiscard]] base::Day next_after(Interval interval, base::Day start);

// The rating sums per interval, including intervals without ratings. Scale ratings count as neither
// positive nor negative.
class Trend {
 public:
  Trend(const analytics::DayRange& days, Interval interval, std::chrono::weekday week_start);

  // "day" must be in the range that was passed to the constructor.
  void add(base::Day day, model::Category category, const analytics::Sums& sums);

  // The columns are date, count, average, positive and negative. Each row begins with the cells in
  // "prefix". "only" is the category if all ratings belong to one category, and empty otherwise.
  static void add_columns(api::Table& table);
  void add_rows(api::Table& table, const std::vector<api::Cell>& prefix,
                const std::optional<model::Category>& only) const;

 private:
  const Interval interval_;
  const std::chrono::weekday week_start_;
  std::map<base::Day, analytics::Sums> points_;
};

// Writes a JSON object of the form {"category": …, "points": […]}. All sums in "trend" must belong
// to "category".
void write_series(json::Writer& json, model::Category category, const Trend& trend);

[[nodiscard]] Interval read_interval(api::Fields& fields);

// Returns the value of the `interval` parameter that selects "interval".
[[nodiscard]] std::string_view name_of(Interval interval);

// Returns the shortest interval that does not result in too many points, or Interval::month if
// there is no such interval.
[[nodiscard]] Interval shortest_interval(const analytics::DayRange& days);

// If "interval" is Interval::automatic, returns an interval that results in a readable chart of
// "days". The chart has at most about 120 points, unless "days" spans more than ten years. Returns
// an interval other than Interval::automatic unchanged.
[[nodiscard]] Interval resolved(Interval interval, const analytics::DayRange& days);

// Returns an error if the trend would have too many points. Otherwise, returns nothing.
[[nodiscard]] std::optional<api::Error> refuse_long_trend(const analytics::DayRange& days,
                                                          Interval interval);

}  // namespace handlers
