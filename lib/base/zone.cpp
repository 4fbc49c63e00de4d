#include "base/zone.h"

#include <date/tz.h>

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "base/text.h"

namespace base {
namespace {

// Parses an offset such as "+05:30". Returns nothing for any other format.
std::optional<std::chrono::minutes> parse_offset(std::string_view text) {
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const auto whole = parse_number<unsigned>(text.substr(1, 2));
  const auto rest = parse_number<unsigned>(text.substr(4));
  if (!whole || !rest || *whole > 15 || *rest > 59) return std::nullopt;
  const std::chrono::minutes offset = std::chrono::hours(*whole) + std::chrono::minutes(*rest);
  return text[0] == '-' ? -offset : offset;
}

// Finds a time zone by name, ignoring case. Returns nullptr if no time zone has this name.
const date::time_zone* zone_ignoring_case(std::string_view name) {
  const auto& zones = date::get_tzdb().zones;
  const auto found = std::ranges::find_if(
      zones, [&](const date::time_zone& zone) { return equals_ignoring_case(zone.name(), name); });
  return found == zones.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Zone> Zone::named(std::string_view name) {
  Zone zone;
  zone.name_ = name;
  if (const auto offset = parse_offset(name)) {
    zone.offset_ = *offset;
    return zone;
  }
  try {
    zone.zone_ = date::locate_zone(zone.name_);
  } catch (const std::runtime_error&) {  // the zone is unknown, or its name has another case
    zone.zone_ = zone_ignoring_case(name);
    if (zone.zone_ == nullptr) return std::nullopt;
    zone.name_ = zone.zone_->name();
  }
  return zone;
}

// Shortly after midnight, a clock change may set the clock back to the previous day. Until 2011,
// Newfoundland's clocks went back from 0:01 to 23:01. After such a clock change, day_of() still
// returns the new day, although the clock shows the previous day again.
Day Zone::day_of(Time time) const {
  constexpr std::chrono::hours kLate{22};  // clocks go back by two hours at most
  const Time shown = time + stretch_at(time).offset;
  const Day day = std::chrono::floor<std::chrono::days>(shown);
  if (zone_ == nullptr || shown - day < kLate) return day;
  const Day next = day + std::chrono::days(1);
  return start_of(next) <= time ? next : day;
}

Zone::Stretch Zone::stretch_at(Time time) const {
  if (zone_ == nullptr) return {Time::max(), offset_};
  const auto info = zone_->get_info(date::floor<std::chrono::seconds>(time));
  // For the last UTC offset of a zone, the library returns an end time outside the range of the
  // Time type.
  const bool is_last = info.end >= std::chrono::floor<std::chrono::seconds>(Time::max());
  return {is_last ? Time::max() : Time(info.end), info.offset};
}

Time Zone::start_of(Day day) const {
  if (zone_ == nullptr) return day - offset_;
  const date::local_seconds midnight(std::chrono::seconds(day.time_since_epoch()));
  return zone_->to_sys(midnight, date::choose::earliest);
}

// --- ZoneHistory ---------------------------------------------------------------------------------

void ZoneHistory::add(Time since, Zone zone) {
  assert(since > last_since());
  const Day last_day = day_of(since - std::chrono::microseconds(1));
  entries_.push_back({since, std::move(zone), last_day});
}

const ZoneHistory::Entry& ZoneHistory::entry_at(Time time) const {
  auto entry = entries_.end() - 1;
  while (entry != entries_.begin() && time < entry->since) --entry;
  return *entry;
}

Day ZoneHistory::day_of(Time time) const {
  const Entry& entry = entry_at(time);
  return std::max(entry.zone.day_of(time), entry.least_day);
}

Time ZoneHistory::start_of(Day day) const {
  for (std::size_t i = 0;; ++i) {
    const auto& [since, zone, least_day] = entries_[i];
    const Time start = day <= least_day ? since : std::max(zone.start_of(day), since);
    if (i + 1 == entries_.size() || start < entries_[i + 1].since) return start;
  }
}

Time ZoneHistory::next_midnight(Time now, const Zone& next) const {
  constexpr std::chrono::days kOne{1};
  return std::max(start_of(day_of(now) + kOne), next.start_of(next.day_of(now) + kOne));
}

}  // namespace base
