#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "db/connection.h"
#include "db/lease.h"
#include "rollups/activity_repair.h"
#include "rollups/differences.h"
#include "rollups/rollup.h"

namespace rollups {

// The lease that a repair holds. Others hold it to exclude repairs. Its name is older. Errors:
// db::Busy with "sentence" - it was not free within "timeout".
[[nodiscard]] inline db::Lease lock_repairs(db::Connection& connection,
                                            std::chrono::seconds timeout,
                                            const std::string& sentence) {
  return {connection, "rebuild", timeout, sentence};
}

// DESIGN. Repairs the rollups in place, while votes, imports and deletions go on. It finds what
// rows of sums lack as verification does (rollups/differences.h), and adds it.
//
// Each transaction that changes votes changes their rows of sums by the same amount. So what a row
// lacks stays the same until it is added: it can be found in one snapshot, without locks, however
// large the group is, and be added later. It is added in slices of a few hundred rows. A slice
// takes the exclusive lock of the state of the rollups, which excludes all others who change votes
// or rollups, and on a cluster conflicts with them (rollups/writer_rows.h); reads its rows; and
// writes them anew. The repair pauses after each slice for as long as the slice took, so that votes
// can be written. Each slice counts as a change by writer 0, so all caches forget.
//
// Nothing is added twice. Each slice changes the row of the lease in its own transaction
// (db/lease.h), so it cannot be committed once another repair, or a restore, may have changed rows.
// If the response of its commit is lost, the run ends. A repair stores nothing between its slices:
// it may be killed at any statement, and the next run finds what is still lacking.
//
// Passes are repeated until one finds nothing: what was damaged during a pass, or deleted between
// the snapshot and the slice, is found by the next one.
//
// Not everything is a sum. The version of totals is raised. The time of their last rating is looked
// up. The first time of a user becomes the earlier, and the last time the later, of the stored and
// the found one. The rows of voters and the activity pairs are a history, which the votes do not
// contain in full. So they keep what they have: the last day of a voter is raised where a counted
// vote is newer, and pairs are added where their numbers do not fit (rollups/activity_repair.h).
class Repair {
 public:
  static constexpr std::chrono::seconds kLockTimeout{5};
  static constexpr std::size_t kRowsOfSlice = 500;
  static constexpr int kMostPasses = 5;

  // "connection" must outlive it. Excludes other repairs, and waits up to "lock_timeout" for one to
  // end. "now": see Result. Errors of all functions: as db::Connection; Conflict - another repair
  // is in progress, or conflicts with other transactions did not end.
  Repair(db::Connection& connection, base::Time now,
         std::chrono::seconds lock_timeout = kLockTimeout,
         std::size_t rows_of_slice = kRowsOfSlice);

  struct Result {
    std::int64_t rows = 0;     // that were written, in all passes
    bool is_complete = false;  // the last pass has found nothing
  };

  // Repairs all that differs. Calls "progress" now and then with the number of rows that are read
  // in this pass, and the estimated number of all rows. If the result is complete, stores that no
  // repair is due.
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
  std::int64_t written_ = 0;  // rows, in this pass
};

}  // namespace rollups
