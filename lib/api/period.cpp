#include "api/period.h"

#include <array>

namespace api {
namespace {

using std::chrono::days;
using std::chrono::year_month_day;

constexpr std::array<std::string_view, 8> kPeriodNames = {
    "today", "7d", "30d", "90d", "this_week", "this_month", "this_year", "all"};
// The range of the database's dates and times, with room before and after.
constexpr base::Day kFirst = std::chrono::year(1000) / std::chrono::January / 2;
constexpr base::Day kLast = std::chrono::year(9999) / std::chrono::December / 30;

}  // namespace

std::optional<base::Day> read_day(Fields& fields, std::string_view name) {
  return fields.date(name, kFirst, kLast);
}

Period read_period(Fields& fields) {
  Period period;
  if (const auto name = fields.choice("period", kPeriodNames)) period.name = Period::Name{*name};
  const bool has_from = fields.has("from");
  const bool has_to = fields.has("to");
  const auto from = read_day(fields, "from");
  const auto to = read_day(fields, "to");
  if (has_from != has_to) {
    fields.reject(has_from ? "from" : "to", "rest_invalid_param",
                  base::Message("from and to go together."));
  } else if (from && to && *from > *to) {
    fields.reject("from", kOutOfBounds, base::Message("from must not be after to."));
  } else if (from && to) {
    period.days = analytics::DayRange{*from, *to};
  }
  return period;
}

analytics::DayRange days_of(const Period& period, const analytics::Calendar& calendar,
                            base::Day today, std::optional<base::Day> first_day) {
  if (period.days) return *period.days;
  return analytics::days_of(period.name, calendar, today, first_day);
}

std::optional<analytics::DayRange> days_before(const analytics::DayRange& range) {
  const days length(range.length());
  if (range.first - kFirst < length) return std::nullopt;
  return analytics::DayRange{range.first - length, range.first - days(1)};
}

analytics::TimeSpan moments_of(const analytics::DayRange& range, const base::Zone& zone) {
  return {zone.start_of(range.first), zone.start_of(range.last + days(1))};
}

base::Day start_of(Interval interval, base::Day day, std::chrono::weekday week_start) {
  const year_month_day date(day);
  switch (interval) {
    case Interval::week:
      return day - (std::chrono::weekday(day) - week_start);
    case Interval::month:
      return date.year() / date.month() / 1;
    case Interval::day:
      break;
  }
  return day;
}

base::Day next_after(Interval interval, base::Day start) {
  switch (interval) {
    case Interval::week:
      return start + days(7);
    case Interval::month:
      return year_month_day(start) + std::chrono::months(1);
    case Interval::day:
      break;
  }
  return start + days(1);
}

}  // namespace api
