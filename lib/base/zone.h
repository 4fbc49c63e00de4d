#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace date {
class time_zone;
}

namespace base {

// A calendar day in any time zone, as the number of days since 1970-01-01.
using Day = std::chrono::sys_days;

// A site's time zone: an IANA name ("Europe/Berlin") or a fixed offset from UTC ("+05:30"), as in
// WordPress. A value type. All functions are safe for concurrent use.
class Zone {
 public:
  // UTC.
  Zone() = default;

  // Returns the zone with the name "name". The name is an offset in the format [+-]HH:MM or a
  // case-insensitive IANA name. Returns nothing if the name is malformed or unknown to the system.
  [[nodiscard]] static std::optional<Zone> named(std::string_view name);

  // Returns the day that contains "time". Each day is a single time interval, which ends when the
  // next day starts.
  [[nodiscard]] Day day_of(Time time) const;
  // Returns the start of "day": midnight, or the end of the gap if a clock change skips midnight.
  [[nodiscard]] Time start_of(Day day) const;
  // The UTC offset at a certain time. The offset is valid until "end".
  struct Stretch {
    Time end;
    std::chrono::seconds offset;
  };
  [[nodiscard]] Stretch stretch_at(Time time) const;

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_ = "+00:00";
  const date::time_zone* zone_ = nullptr;  // in the process-wide database; null for a fixed offset
  std::chrono::minutes offset_{0};
};

// The time zones that a site has used, in chronological order. Each zone is used from its start
// time until the next zone's start time. Usually, the day at a given time is the local date in the
// zone then in use. However, if the change to a new zone would set the date back, the current day
// continues until the new zone's date has caught up, so that each day is a single interval of time.
// A day on which the zone changes may be shorter or longer than other days, or contain no time at
// all.
//
// A value type. Const functions are safe for concurrent use.
class ZoneHistory {
 public:
  // UTC.
  ZoneHistory() : ZoneHistory(Zone()) {}
  // Creates a history with a single zone.
  ZoneHistory(Zone zone) : entries_{{Time::min(), std::move(zone), Day::min()}} {}  // NOLINT

  // Adds a zone that takes effect at the time "since". "since" must increase with each call.
  void add(Time since, Zone zone);

  [[nodiscard]] Day day_of(Time time) const;
  // Returns the first time at which day_of() returns "day" or a later day.
  [[nodiscard]] Time start_of(Day day) const;

  [[nodiscard]] const Zone& at(Time time) const { return entry_at(time).zone; }
  [[nodiscard]] const Zone& last() const { return entries_.back().zone; }
  // Returns the time from which the last zone is used, or Time::min() if there is only one zone.
  [[nodiscard]] Time last_since() const { return entries_.back().since; }
  // Returns the time at which the zone "next" takes effect if a site's owner selects it at the time
  // "now". The result is the next midnight in the last zone or in the zone "next", whichever is
  // later.
  [[nodiscard]] Time next_midnight(Time now, const Zone& next) const;

 private:
  struct Entry {
    Time since;
    Zone zone;
    Day least_day;  // the last day of the previous zone
  };
  [[nodiscard]] const Entry& entry_at(Time time) const;

  std::vector<Entry> entries_;
};

}  // namespace base
