#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/rollup.h"

namespace rollups {

// Called with the number of rows read so far, and the estimated number of all rows.
using VerifyProgress = std::function<void(std::int64_t done, std::int64_t all)>;

// The amounts that must be added to rows in a rollup so that the rows match the votes and
// aggregates. Zeros mean that only the time of the last rating differs.
//
// Each transaction that changes votes changes the sums by the same amount. So the difference
// between votes and sums stays the same while votes arrive and may be added at any later time
// (rollups/repair.h).
struct Difference {
  const Rollup& rollup;
  Rollup::Rows rows;
  std::set<Key> missing;  // keys of "rows" that are not in the table
};

// Finds the differences between the rollups and the votes and aggregates, while votes may arrive.
// Reads all votes once, and most rollups, in pages (rollups/table_scan.h) and in constant memory.
// The totals are stored in the order of the votes and are compared object by object. The other
// rollups are stored in another order. Their sums are compared by day, or by range of users, as
// checksums (rollups/checksum.h). The size of the checksums depends on the numbers of days and
// users, not on the number of votes. Checksums may differ because of a wrong sum, or because a vote
// arrived meanwhile. So if a checksum differs, its rows are compared one by one, in one snapshot.
//
// "use" is called with each difference and may use the connection. "is_wanted" returns whether more
// differences in a rollup are needed. Errors: as db::Connection.
struct DifferenceUse {
  std::function<void(const Difference& difference)> use;
  std::function<bool(const Rollup& rollup)> is_wanted = [](const Rollup&) { return true; };
};
void find_differences(db::Connection& connection, const VerifyProgress& progress,
                      const DifferenceUse& use);

// A voter whose row may be wrong. Either the row is missing, or one of the voter's votes is newer
// than the last day in the row. The vote may be held.
struct DoubtfulVoter {
  model::VoterId voter = 0;
  std::optional<base::Day> last_day;  // nothing: the row is missing
};
// Finds all voters whose rows may be wrong and calls "use" with a few voters at a time. Errors: as
// db::Connection.
void find_doubtful_voters(db::Connection& connection, const base::ZoneHistory& zones,
                          const std::function<void(const std::vector<DoubtfulVoter>&)>& use);

}  // namespace rollups
