#pragma once

#include <chrono>
#include <optional>
#include <tl/expected.hpp>

#include "analytics/calendar.h"
#include "analytics/rating_filter.h"
#include "api/fields.h"
#include "base/zone.h"

namespace api {

// The days that a request asks about, before it is known which days these are.
struct Period {
  using Name = analytics::NamedPeriod;
  Name name = Name::days_30;
  std::optional<analytics::DayRange> days;  // from ... to: count instead of the name

  [[nodiscard]] bool is_all() const { return !days && name == Name::all; }
};

// The parameters period, from and to.
[[nodiscard]] Period read_period(Fields& fields);

// The days of "period" when it is "today"; "first_day" is the first that any rating counts on.
[[nodiscard]] analytics::DayRange days_of(const Period& period, const analytics::Calendar& calendar,
                                          base::Day today, std::optional<base::Day> first_day);

// As many days before "range"; nothing if the database has no such days.
[[nodiscard]] std::optional<analytics::DayRange> days_before(const analytics::DayRange& range);

// The moments of the days of "range".
[[nodiscard]] analytics::TimeSpan moments_of(const analytics::DayRange& range,
                                             const base::Zone& zone);

enum class Interval { day, week, month };

// The first day of the interval that "day" lies in, and that of the next interval.
[[nodiscard]] base::Day start_of(Interval interval, base::Day day, std::chrono::weekday week_start);
[[nodiscard]] base::Day next_after(Interval interval, base::Day start);

}  // namespace api
