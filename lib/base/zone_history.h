#pragma once

#include <vector>

#include "base/zone.h"

namespace base {

// The zones in which days are counted. Each zone is in force from some time on. The day of a time
// is its day in the zone that is in force then. Days never go back: until a new zone has reached
// the last day of the zone before it, all times belong to that day. So each day is one interval of
// time. The day of a change may be empty, or shorter or longer than other days.
//
// A value type. Its const functions are safe for concurrent use.
class ZoneHistory {
 public:
  // UTC.
  ZoneHistory() : ZoneHistory(Zone()) {}
  // One zone for all times.
  ZoneHistory(Zone zone) : entries_{{Time::min(), std::move(zone), Day::min()}} {}  // NOLINT

  // REQUIRES: "since" is later than the beginning of every zone.
  void add(Time since, Zone zone);

  [[nodiscard]] Day day_of(Time time) const;
  // The first time whose day is "day" or later.
  [[nodiscard]] Time start_of(Day day) const;

  [[nodiscard]] const Zone& at(Time time) const { return entry_at(time).zone; }
  [[nodiscard]] const Zone& last() const { return entries_.back().zone; }
  // When the last zone began; Time::min() if it is the only one.
  [[nodiscard]] Time last_since() const { return entries_.back().since; }
  // Returns the time at which the zone "next" may begin, if this is decided at "now": the next
  // midnight in the last zone or the next midnight in "next", whichever is later.
  [[nodiscard]] Time next_midnight(Time now, const Zone& next) const;

 private:
  struct Entry {
    Time since;
    Zone zone;
    Day least_day;  // the last day of the zone before
  };
  [[nodiscard]] const Entry& entry_at(Time time) const;

  std::vector<Entry> entries_;
};

}  // namespace base
