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
#include "base/zone_history.h"
#include "json/codec.h"
#include "model/rating.h"

namespace handlers {

using analytics::Period;

[[nodiscard]] Period read_period(api::Fields& fields);

// As many days, immediately before "range"; nothing if the database cannot represent them.
[[nodiscard]] std::optional<analytics::DayRange> days_before(const analytics::DayRange& range);

// The times from the start to the end of "range".
[[nodiscard]] analytics::TimeSpan moments_of(const analytics::DayRange& range,
                                             const base::ZoneHistory& zones);

enum class Interval { day, week, month, automatic };

// Return the first day of the interval that contains "day", and the first day of the next interval.
// REQUIRES: "interval" is not Interval::automatic.
[[nodiscard]] base::Day start_of(Interval interval, base::Day day, std::chrono::weekday week_start);
[[nodiscard]] base::Day next_after(Interval interval, base::Day start);

// The sums of ratings per interval, including intervals without ratings. Scale ratings are neither
// positive nor negative.
class Trend {
 public:
  Trend(const analytics::DayRange& days, Interval interval, std::chrono::weekday week_start);

  // REQUIRES: "day" is one of the days.
  void add(base::Day day, model::Category category, const analytics::Sums& sums);

  // The columns date, count, average, positive, negative; each row starts with "prefix".
  // "only" is the one category that there can be, if there is one.
  static void add_columns(api::Table& table);
  void add_rows(api::Table& table, const std::vector<api::Cell>& prefix,
                const std::optional<model::Category>& only) const;

 private:
  const Interval interval_;
  const std::chrono::weekday week_start_;
  std::map<base::Day, analytics::Sums> points_;
};

// Writes {"category": …, "points": […]}. REQUIRES: all sums of "trend" are of this category.
void write_series(json::Writer& json, model::Category category, const Trend& trend);

[[nodiscard]] Interval read_interval(api::Fields& fields);

// The value of the parameter.
[[nodiscard]] std::string_view name_of(Interval interval);

// The shortest interval that does not make too many points, or else months.
[[nodiscard]] Interval shortest_interval(const analytics::DayRange& days);

// Returns the interval that makes a readable chart of "days" if "interval" is Interval::automatic.
// The chart has at most about 120 points, except for more than ten years. Returns any other
// interval unchanged.
[[nodiscard]] Interval resolved(Interval interval, const analytics::DayRange& days);

// The error if there would be too many points.
[[nodiscard]] std::optional<api::Error> refuse_long_trend(const analytics::DayRange& days,
                                                          Interval interval);

}  // namespace handlers
