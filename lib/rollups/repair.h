#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/zone.h"
#include "db/connection.h"
#include "db/lease.h"
#include "rollups/differences.h"
#include "rollups/rollup.h"

namespace rollups {

// Acquires the lease that prevents repairs. The lease is held by each repair and by each operation
// that must not run during a repair. The lease is called "rebuild" for compatibility with version
// 0.3. Throws db::Busy if another process does not release the lease within "timeout". "sentence"
// is the error message.
[[nodiscard]] inline db::Lease lock_repairs(db::Connection& connection,
                                            std::chrono::seconds timeout,
                                            const std::string& sentence) {
  return {connection, "rebuild", timeout, sentence};
}

// DESIGN. Repairs the rollups while votes, imports and deletions continue. A repair finds
// the differences between the votes and the sums, as verification does (rollups/differences.h), but
// also adds the differences to the sums.
//
// Each transaction that changes votes also adds the change to the stored sums, so the difference
// between a wrong sum and the correct sum stays constant until a repair. Therefore, the differences
// in any number of rows can be found in one snapshot, without locks, and can be corrected later in
// slices of a few hundred rows. The transaction for a slice acquires the exclusive lock on the
// rollup state, reads the rows in the slice, and writes the corrected rows. The lock excludes all
// other transactions on the same database server that change votes or rollups. Transactions on
// other nodes of a database cluster conflict with the slice's transaction (rollups/writers.h).
// After each slice, the repair pauses for as long as the slice took, so that votes can be written.
// Each slice changes the row of writer 0, so all hosts discard their cached data
// (rollups/foreign_changes.h).
//
// A difference is never added to a sum twice. The transaction for a slice also changes the lease's
// row (db/lease.h), so the commit fails if a different repair or a restore has taken over the
// lease. If the database's response to a commit is lost, the repair ends. A repair does not store
// which rows it has already repaired. So a repair may be killed at any time, and the next repair
// finds the differences that remain.
//
// A repair makes passes over all tables until a pass finds no difference. If a row is damaged
// during a pass, or deleted before its slice is repaired, the next pass repairs the row.
//
// Columns that do not contain sums are repaired as follows. The version number of an object's
// totals is increased. The time of an object's last rating is computed from the votes and
// aggregates. A repair may only move the time of a user's first rating back, and the time of a
// user's last rating forward. The votes alone determine neither the voters' last active days nor
// the activity pairs, so a repair changes this data as little as possible. A voter's last active
// day is changed only if the voter has a counted vote after that day. Activity pairs are changed
// only if the stored numbers of voters are inconsistent (pairs_to_add()).
class Repair {
 public:
  static constexpr std::chrono::seconds kLockTimeout{5};
  static constexpr std::size_t kRowsOfSlice = 500;
  static constexpr int kMostPasses = 5;

  // Acquires the lease that prevents other repairs, and waits up to "lock_timeout" for a running
  // repair. "connection" must outlive the Repair object. A row that is added to the totals table
  // gets the time "now" as its version. All functions throw the same exceptions as db::Connection.
  // Throws db::Conflict if a different repair is in progress, or if a transaction still conflicts
  // with other transactions after several attempts.
  Repair(db::Connection& connection, base::Time now,
         std::chrono::seconds lock_timeout = kLockTimeout,
         std::size_t rows_of_slice = kRowsOfSlice);

  struct Result {
    std::int64_t rows = 0;     // the number of rows written in all passes
    bool is_complete = false;  // true if the last pass has found no difference
  };

  // Repairs all rows that are wrong, and calls "progress" at regular intervals. If the last pass
  // finds no difference, records that the repair is complete.
  Result run(const VerifyProgress& progress);

 private:
  std::int64_t run_pass(const VerifyProgress& progress);
  void add(const Difference& difference);
  void add_slice(const Difference& difference, const Rollup::Rows& rows);
  void raise_last_days(const std::vector<DoubtfulVoter>& voters);
  void raise_slice(std::span<const DoubtfulVoter> voters);
  void add_pairs();
  template <typename Work>
  void run_slice(const Work& work);

  db::Connection& connection_;
  const base::Time now_;
  const std::size_t rows_of_slice_;
  db::Lease lease_;
  std::int64_t written_ = 0;  // the number of rows written in this pass
};

// The following functions determine whether a repair of the rollups is due. A complete repair
// records the current day and the number of rebuilds that version 0.3 has run. A repair is due if
// no complete repair is recorded. A repair is also due if version 0.3 has rebuilt the rollups since
// the last repair, or if workers that do not support all rollups have written votes since then
// (kProgram).
//
// All functions throw the same exceptions as db::Connection.

// note_repair() records that a repair is complete, and require_repair() records that a repair is
// due.
void note_repair(db::Connection& connection);
void require_repair(db::Connection& connection);

enum class RepairDue {
  no,
  later,  // due, but workers that do not support all rollups have written votes today
  now,
};
[[nodiscard]] RepairDue repair_due(db::Connection& connection);

// The number of voters for each activity pair (rollups/rollup_changes.h) and for each last active
// day.
struct Activity {
  using Pair = std::pair<base::Day, base::Day>;  // a day, and the previous active day
  std::map<Pair, std::int64_t> pairs;
  std::map<base::Day, std::int64_t> last_days;
};

// Reads the activity of all voters in one database snapshot. Throws the same exceptions as
// db::Connection.
[[nodiscard]] Activity read_activity(db::Connection& connection);

// Returns the imbalance of each day, except days with an imbalance of 0. A voter who was active on
// a day is counted in a pair that ends on this day. Unless this day is the voter's last active day,
// the voter is also counted in a pair that begins on this day. The imbalance of a day is the number
// of voters in pairs that end on the day, minus the number of voters in pairs that begin on the
// day, minus the number of voters whose last active day is this day. If no row is wrong, the
// imbalance of each day is 0. A negative imbalance means that voters are missing from pairs that
// end on this day. Transactions that record a voter's activity do not change the imbalance of any
// day.
[[nodiscard]] std::map<base::Day, std::int64_t> imbalance_of(const Activity& activity);

// Returns how many voters must be added to each activity pair so that no day has an imbalance. The
// changes are a guess, because the database does not store which voters were active on a past day.
// The guessed changes are correct if rows of activity pairs were accidentally lost or added, or if
// the activity of some votes was never recorded. Voters are removed from each pair whose later day
// has a positive imbalance and whose earlier day has a negative imbalance. If a day's imbalance is
// negative, voters are added to the pair that ends on this day and begins on the latest earlier day
// with a positive imbalance. If a day has a negative imbalance and no earlier day has a positive
// imbalance, voters are added to the pair of this day and kNeverActive. If a day's imbalance
// remains positive, voters are removed from the pairs that end on this day, beginning with the pair
// whose earlier day is the latest.
[[nodiscard]] std::map<Activity::Pair, std::int64_t> pairs_to_add(Activity activity);

}  // namespace rollups
