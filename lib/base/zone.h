#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace date {
class time_zone;
}

namespace base {

// A calendar day in some time zone, counted from 1970-01-01.
using Day = std::chrono::sys_days;

// A site's time zone: an IANA name ("Europe/Berlin") or a fixed offset from UTC ("+05:30"), as in
// WordPress. A value type. Its functions are safe for concurrent use.
class Zone {
 public:
  // UTC.
  Zone() = default;

  // Returns the zone with this IANA name, in any case, or with this offset in the format [+-]HH:MM.
  // Returns nothing if the system does not know the zone or the format is wrong.
  [[nodiscard]] static std::optional<Zone> named(std::string_view name);

  // Returns the day of "time". Each day is one time interval: it ends when the next day starts.
  [[nodiscard]] Day day_of(Time time) const;
  // Returns the start of "day": midnight, or the end of the gap if a clock change skips midnight.
  [[nodiscard]] Time start_of(Day day) const;
  // The UTC offset at some time. It is valid until "end".
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

}  // namespace base
