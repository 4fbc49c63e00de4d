#include "rollups/activity_repair.h"

#include <algorithm>
#include <iterator>

#include "db/transaction.h"
#include "rollups/rollup.h"

namespace rollups {

Activity read_activity(db::Connection& connection) {
  Activity activity;
  db::in_snapshot(connection, [&] {
    activity = {};
    db::Rows pair = connection.stream(
        "SELECT day, previous_day, SUM(voters) FROM {prefix}ratingd_reach"
        " GROUP BY day, previous_day");
    while (pair.next()) activity.pairs[{pair.day(1), pair.day(2)}] = pair.integer(3);
    db::Rows last = connection.stream(
        "SELECT last_day, COUNT(*) FROM {prefix}ratingd_voters GROUP BY last_day");
    while (last.next()) activity.last_days[last.day(1)] = last.integer(2);
  });
  return activity;
}

std::map<base::Day, std::int64_t> imbalance_of(const Activity& activity) {
  std::map<base::Day, std::int64_t> imbalance;
  for (const auto& [days, voters] : activity.pairs) {
    imbalance[days.first] += voters;
    imbalance[days.second] -= voters;
  }
  for (const auto& [day, voters] : activity.last_days) imbalance[day] -= voters;
  std::erase_if(imbalance,
                [](const auto& day) { return day.first == kNeverActive || day.second == 0; });
  return imbalance;
}

std::map<Activity::Pair, std::int64_t> pairs_to_add(Activity activity) {
  std::map<base::Day, std::int64_t> imbalance = imbalance_of(activity);
  std::map<Activity::Pair, std::int64_t> added;
  const auto add = [&](base::Day day, base::Day previous_day, std::int64_t voters) {
    activity.pairs[{day, previous_day}] += voters;
    added[{day, previous_day}] += voters;
  };

  // Remove pairs whose two days both count too many voters.
  const Activity before = activity;
  for (const auto& [days, voters] : before.pairs) {
    const auto day = imbalance.find(days.first);
    const auto previous_day = imbalance.find(days.second);
    if (day == imbalance.end() || previous_day == imbalance.end()) continue;
    const std::int64_t taken = std::min({voters, day->second, -previous_day->second});
    if (taken <= 0) continue;
    add(days.first, days.second, -taken);
    day->second -= taken;
    previous_day->second += taken;
  }

  std::map<base::Day, std::int64_t> left;  // spare voters by day, who have no later day
  for (const auto& [day, voters] : imbalance) {
    if (voters > 0) left[day] = voters;
    for (std::int64_t lacking = -voters; lacking > 0;) {
      if (left.empty()) {
        add(day, kNeverActive, lacking);
        break;
      }
      const auto latest = std::prev(left.end());
      const std::int64_t taken = std::min(lacking, latest->second);
      add(day, latest->first, taken);
      lacking -= taken;
      if ((latest->second -= taken) == 0) left.erase(latest);
    }
  }

  while (!left.empty()) {
    const auto [day, voters] = *std::prev(left.end());
    left.erase(day);
    std::int64_t surplus = voters;
    const auto first = activity.pairs.lower_bound({day, base::Day::min()});
    for (auto pair = activity.pairs.upper_bound({day, base::Day::max()});
         pair != first && surplus > 0;) {
      --pair;
      const base::Day previous_day = pair->first.second;
      const std::int64_t taken = std::min(surplus, std::max<std::int64_t>(pair->second, 0));
      if (taken == 0) continue;
      add(day, previous_day, -taken);
      surplus -= taken;
      if (previous_day != kNeverActive) left[previous_day] += taken;
    }
    if (surplus > 0) add(day, kNeverActive, -surplus);
  }
  std::erase_if(added, [](const auto& pair) { return pair.second == 0; });
  return added;
}

}  // namespace rollups
