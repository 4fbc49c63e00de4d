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

// Takes the lease that a repair holds. Other operations take this lease to exclude repairs. The
// lease's name, "rebuild", comes from version 0.3. Errors: db::Busy with the message "sentence" -
// the lease did not become free within "timeout".
[[nodiscard]] inline db::Lease lock_repairs(db::Connection& connection,
                                            std::chrono::seconds timeout,
                                            const std::string& sentence) {
  return {connection, "rebuild", timeout, sentence};
}

// DESIGN. Repairs the rollups in place, while votes, imports and deletions continue. A repair finds
// the differences between the votes and the sums in the same way as verification
// (rollups/differences.h) and adds these differences to the sums.
//
// Each transaction that changes votes changes the sums by the same amount. So a row's difference
// stays the same until it is added. The differences in any number of rows can be found in one
// snapshot, without locks, and can be added later in slices of a few hundred rows. A slice takes
// the exclusive lock on the rollup state, reads its rows, and rewrites them. The lock excludes all
// other transactions that change votes or rollups. On the other nodes in a cluster, such
// transactions conflict with the slice instead (rollups/writers.h). The repair pauses after each
// slice for
// as long as the slice took, so that votes can be written. Each slice counts as a change by writer
// 0, so all caches are emptied.
//
// Nothing is added twice. Each slice changes the lease's row in its own transaction (db/lease.h),
// so a slice cannot be committed once another repair, or a restore, may have changed rows. If the
// response to a commit is lost, the run ends. A repair stores no progress between its slices. So it
// may be killed at any time, and the next run finds the remaining differences.
//
// Passes are repeated until a pass finds no difference. If rows were damaged during a pass, or
// deleted between the snapshot and the slice, the next pass finds them.
//
// Some columns are not sums. The version of totals is raised. The time of the last rating in totals
// is looked up. A user's first time becomes the earlier of the stored and the found time, and the
// last time becomes the later of the two. The voters' rows and the activity pairs are a history
// that cannot be computed from the votes alone, so a repair changes them as little as possible. A
// voter's last day is raised if a counted vote is newer. Pairs are changed only if their numbers
// contradict each other (pairs_to_add()).
class Repair {
 public:
  static constexpr std::chrono::seconds kLockTimeout{5};
  static constexpr std::size_t kRowsOfSlice = 500;
  static constexpr int kMostPasses = 5;

  // Excludes other repairs. Waits up to "lock_timeout" for a running repair to end. "connection"
  // must outlive this object. Totals that were missing get the version "now". Errors (all
  // functions): same as db::Connection. Throws db::Conflict if another repair is in progress, or if
  // conflicts with other transactions continue.
  Repair(db::Connection& connection, base::Time now,
         std::chrono::seconds lock_timeout = kLockTimeout,
         std::size_t rows_of_slice = kRowsOfSlice);

  struct Result {
    std::int64_t rows = 0;     // the number of rows written in all passes
    bool is_complete = false;  // true if the last pass has found no difference
  };

  // Repairs all rows that differ. Calls "progress" from time to time. If the result is complete,
  // records that no repair is due.
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

// Functions that determine whether a repair of the rollups is due. The day of the last complete
// repair is stored, together with the number of rebuilds by version 0.3 up to that time. A repair
// is due in three cases: no repair is stored, version 0.3 has rebuilt the rollups since, or workers
// that do not know all rollups (kProgram) have written votes since.
//
// Errors (all functions): same as db::Connection.

// note_repair() records that a repair is complete. require_repair() records that a repair is due.
void note_repair(db::Connection& connection);
void require_repair(db::Connection& connection);

enum class RepairDue {
  no,
  later,  // due, but workers that do not know all rollups have written votes today
  now,
};
[[nodiscard]] RepairDue repair_due(db::Connection& connection);

// The activity of all voters, in numbers that verification can check. They are the number of voters
// in each activity pair (rollups/rollup_changes.h), and the number of voters with each last day.
struct Activity {
  using Pair = std::pair<base::Day, base::Day>;  // a day, and the active day before it
  std::map<Pair, std::int64_t> pairs;
  std::map<base::Day, std::int64_t> last_days;
};

// Reads one snapshot. Errors: same as db::Connection.
[[nodiscard]] Activity read_activity(db::Connection& connection);

// Returns the days on which two numbers of voters contradict each other, and the differences. A
// voter who was active on a day is counted in a pair that ends on this day. The voter is also
// counted either in a pair that begins on this day, or among the voters for whom this day is the
// last day. So both numbers must be equal. A negative difference means that pairs that end on the
// day are missing. Transactions that change activity do not change the differences.
[[nodiscard]] std::map<base::Day, std::int64_t> imbalance_of(const Activity& activity);

// Returns changes to the pairs that remove the differences on all days. These changes are a guess
// because the database does not store who was active on a past day. The guess is right if rows with
// pairs were lost or added by mistake, or if the pairs for some votes are missing. A pair is
// removed if both of its days have too many voters. If too few voters are in pairs that end on a
// day, pairs are added that begin on the latest earlier day with spare voters. If there is no such
// day, the voters count as never active before. If a day has too many voters, they are taken from
// the pairs that end on it, beginning with the pair whose earlier day is the latest.
[[nodiscard]] std::map<Activity::Pair, std::int64_t> pairs_to_add(Activity activity);

}  // namespace rollups
