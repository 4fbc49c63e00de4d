#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "base/zone.h"
#include "db/connection.h"

namespace rollups {

// The activity of all voters, as numbers that verification can check: the number of voters in each
// activity pair (rollups/rollup_changes.h), and the number of voters with each last day.
struct Activity {
  using Pair = std::pair<base::Day, base::Day>;  // a day, and the active day before it
  std::map<Pair, std::int64_t> pairs;
  std::map<base::Day, std::int64_t> last_days;
};

// Reads one snapshot. Errors: as db::Connection.
[[nodiscard]] Activity read_activity(db::Connection& connection);

// Returns the days on which two numbers of voters contradict each other, with the difference. A
// voter who was active on a day is counted in a pair that ends on this day. The voter is also
// counted either in a pair that begins on this day or among the voters whose last day it is. So
// both numbers must be equal. The difference is negative if pairs that end on the day are missing.
// Transactions that change activity do not change the differences.
[[nodiscard]] std::map<base::Day, std::int64_t> imbalance_of(const Activity& activity);

// Returns the changes of the pairs after which no day has a difference. This is a guess because the
// database does not store who was active on a past day. The guess is right if pairs were lost or
// added by mistake, or if pairs of votes are missing. A pair is removed if both of its days count
// too many voters. If too few voters are in pairs that end on a day, pairs are added that begin on
// the latest earlier day with spare voters. If there is no such day, the voters count as never
// active before. If a day has too many voters, they are taken from the pairs that end on it,
// beginning with the pair whose earlier day is the latest.
[[nodiscard]] std::map<Activity::Pair, std::int64_t> pairs_to_add(Activity activity);

}  // namespace rollups
