#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/zone.h"

namespace base {

// Text formats for timestamps and days. The year must be between 1000 and 9999, as in the database.

// Returns "2026-11-21T05:00:00Z" (RFC 3339). Fractions of a second are rounded down.
[[nodiscard]] std::string to_rfc3339(Time time);
// Returns "2026-11-21T05:00:00.123456Z", with microseconds.
[[nodiscard]] std::string to_exact_rfc3339(Time time);
// Returns "2026-11-21 05:00:00.123456", the format of the database's DATETIME(6).
[[nodiscard]] std::string to_datetime(Time time);
// Returns "2026-11-21".
[[nodiscard]] std::string to_date(Day day);

// The inverse functions. The fraction of a second in "text" may be absent or have fewer than six
// digits. from_rfc3339(), from_datetime() and from_date() return nothing if "text" is malformed.
[[nodiscard]] std::optional<Time> from_rfc3339(std::string_view text);  // in UTC, with the final Z
[[nodiscard]] std::optional<Time> from_datetime(std::string_view text);
[[nodiscard]] std::optional<Day> from_date(std::string_view text);

}  // namespace base
