#include "analytics/calendar.h"

#include <algorithm>

#include "rollups/rollup_state.h"

namespace analytics {

DayRange days_of(NamedPeriod period, const Calendar& calendar, base::Day today,
                 std::optional<base::Day> first_day) {
  using std::chrono::days;
  const std::chrono::year_month_day date(today);
  switch (period) {
    case NamedPeriod::today:
      return {today, today};
    case NamedPeriod::days_7:
      return {today - days(6), today};
    case NamedPeriod::days_30:
      return {today - days(29), today};
    case NamedPeriod::days_90:
      return {today - days(89), today};
    case NamedPeriod::this_week:
      return {today - (std::chrono::weekday(today) - calendar.week_start), today};
    case NamedPeriod::this_month:
      return {date.year() / date.month() / 1, today};
    case NamedPeriod::this_year:
      return {date.year() / std::chrono::January / 1, today};
    case NamedPeriod::all:
      break;
  }
  return {std::min(first_day.value_or(today), today), today};
}

Calendar read_calendar(db::Connection& connection, const cms::Cms& cms) {
  Calendar calendar;
  const rollups::RollupState state = rollups::read_state(connection);
  calendar.zone = state.zone;
  calendar.zones = state.zones;
  calendar.has_old_rebuild = state.has_old_rebuild;
  calendar.site_zone = cms.time_zone(connection);
  calendar.week_start = cms.week_start(connection);
  return calendar;
}

}  // namespace analytics
