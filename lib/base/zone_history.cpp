#include "base/zone_history.h"

#include <algorithm>
#include <cassert>

namespace base {

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
