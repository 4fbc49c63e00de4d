#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/zone.h"

namespace base {

// Text formats of times and days. Years are 1000 ... 9999, as in the database.

// "2026-11-21T05:00:00Z" (RFC 3339), to the second, rounded down.
[[nodiscard]] std::string to_rfc3339(Time time);
// "2026-11-21T05:00:00.123456Z", the same to the microsecond.
[[nodiscard]] std::string to_exact_rfc3339(Time time);
// "2026-11-21 05:00:00.123456", the database's DATETIME(6).
[[nodiscard]] std::string to_datetime(Time time);
// "2026-11-21"
[[nodiscard]] std::string to_date(Day day);

// The inverse functions. The fraction of a second may be shorter or absent. Nothing for any other
// format.
[[nodiscard]] std::optional<Time> from_rfc3339(std::string_view text);  // in UTC, with its Z
[[nodiscard]] std::optional<Time> from_datetime(std::string_view text);
[[nodiscard]] std::optional<Day> from_date(std::string_view text);

}  // namespace base
