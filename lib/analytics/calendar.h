#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "analytics/rating_filter.h"
#include "base/zone.h"
#include "cms/cms.h"
#include "db/connection.h"

namespace analytics {

// The time zones in which the site's days are counted, and the first day of the week.
struct Calendar {
  base::Zone zone;          // the zone in which days are counted now
  base::ZoneHistory zones;  // the zones in which days were and will be counted
  base::Zone site_zone;     // the CMS's current zone
  std::chrono::weekday week_start{1};
  bool has_old_rebuild = false;  // version 0.3 has begun but not finished a rebuild of the rollups

  // Returns true if the CMS's time zone has changed but days are still counted in the previous
  // zone. If "zones" already contains site_zone, days will be counted in site_zone from
  // zones.last_since() onward.
  [[nodiscard]] bool is_pending() const { return zone.name() != site_zone.name(); }
};

// The named periods, which all end today.
enum class NamedPeriod { today, days_7, days_30, days_90, this_week, this_month, this_year, all };
inline constexpr std::array kNamedPeriods = {
    NamedPeriod::today,     NamedPeriod::days_7,     NamedPeriod::days_30,   NamedPeriod::days_90,
    NamedPeriod::this_week, NamedPeriod::this_month, NamedPeriod::this_year, NamedPeriod::all};

// Returns the days in "period", which ends with the day "today". "first_day" is the first day with
// ratings.
[[nodiscard]] DayRange days_of(NamedPeriod period, const Calendar& calendar, base::Day today,
                               std::optional<base::Day> first_day);

// Reads the calendar from the rollups and the CMS. Throws the same exceptions as
// rollups::read_state().
[[nodiscard]] Calendar read_calendar(db::Connection& connection, const cms::Cms& cms);

}  // namespace analytics
