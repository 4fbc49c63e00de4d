#pragma once

#include <vector>

#include "base/zone.h"

namespace base {

// The sequence of zones in which days are counted. Each zone is valid from some time until the next
// zone begins. Usually, a time belongs to its day in the zone that is valid at this time. But days
// never go back: if a new zone is behind the last day of the previous zone, this last day continues
// until the new zone has reached it. So each day is one time interval. The day on which the zone
// changes may be empty, shorter or longer than other days.
//
// A value type. Its const functions are safe for concurrent use.
class ZoneHistory {
 public:
  // UTC.
  ZoneHistory() : ZoneHistory(Zone()) {}
  // The same zone at all times.
  ZoneHistory(Zone zone) : entries_{{Time::min(), std::move(zone), Day::min()}} {}  // NOLINT

  // Adds a zone that is valid from "since" on. REQUIRES: "since" is later than the beginning of
  // every other zone.
  void add(Time since, Zone zone);

  [[nodiscard]] Day day_of(Time time) const;
  // Returns the first time whose day is "day" or later.
  [[nodiscard]] Time start_of(Day day) const;

  [[nodiscard]] const Zone& at(Time time) const { return entry_at(time).zone; }
  [[nodiscard]] const Zone& last() const { return entries_.back().zone; }
  // Returns the time at which the last zone began, or Time::min() if it is the only zone.
  [[nodiscard]] Time last_since() const { return entries_.back().since; }
  // Returns the time at which the zone "next" may begin if an owner chooses it at "now". This is
  // the next midnight in the last zone or in "next", whichever is later.
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
