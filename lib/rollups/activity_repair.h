#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "base/zone.h"
#include "db/connection.h"

namespace rollups {

// The activity of all voters, as far as verification can check it: how many voters each activity
// pair counts (rollups/rollup_changes.h), and how many voters have each last day.
struct Activity {
  using Pair = std::pair<base::Day, base::Day>;  // a day, and the active day before it
  std::map<Pair, std::int64_t> pairs;
  std::map<base::Day, std::int64_t> last_days;
};

// Reads one snapshot. Errors: as db::Connection.
[[nodiscard]] Activity read_activity(db::Connection& connection);

// A voter who was active on a day is counted by a pair that ends on it, and either by a pair that
// begins on it or by the last day. Returns the days on which these numbers differ, and by how many
// voters: negative if pairs that end on the day are lacking. Transactions that change activity do
// not change these differences.
[[nodiscard]] std::map<base::Day, std::int64_t> imbalance_of(const Activity& activity);

// What must be added to the pairs so that no day differs: a guess, because who was active is not
// stored, which is right if pairs are lost or invented, or if votes lack pairs. Pairs between days
// that both count too much go. Voters who lack a pair on a day
// get the latest earlier day from which voters are left; without such a day, they were never active
// before. Voters who are left over are taken from the pairs that end on their day, from those with
// the latest earlier day first.
[[nodiscard]] std::map<Activity::Pair, std::int64_t> pairs_to_add(Activity activity);

}  // namespace rollups
