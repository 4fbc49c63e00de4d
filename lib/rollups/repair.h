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

// Acquires the lease that excludes repairs. The lease is acquired by repairs and by operations that
// must not run during a repair. The lease has the name "rebuild" for compatibility with version
// 0.3. Throws db::Busy with the message "sentence" if the lease does not become free within
// "timeout".
[[nodiscard]] inline db::Lease lock_repairs(db::Connection& connection,
                                            std::chrono::seconds timeout,
                                            const std::string& sentence) {
  return {connection, "rebuild", timeout, sentence};
}

// DESIGN. Repairs the rollups in place, while votes, imports and deletions continue. A repair finds
// the differences between the votes and the sums like verification (rollups/differences.h), and
// then adds the differences to the sums.
//
// Each transaction that changes votes changes the sums by the same amount. So the difference in a
// row stays the same until the repair adds the difference. The differences in any number of rows
// can be found in one snapshot, without locks, and can be added later in slices of a few hundred
// rows. The transaction for a slice acquires the exclusive lock on the rollup state, reads the rows
// of the slice, and rewrites the rows. The lock excludes all other transactions that change votes
// or rollups. Transactions on other nodes of a database cluster conflict with the slice instead
// (rollups/writers.h). The repair pauses after each slice for as long as the slice took, so that
// votes can be written. Each slice counts as a change by writer 0 and therefore empties all caches.
//
// No difference is added twice. The transaction for a slice also changes the row of the lease
// (db/lease.h), so the commit fails if a different repair or a restore may have changed rows. If
// the response to a commit is lost, the repair ends. A repair stores no progress. So a repair may
// be killed at any time, and the next repair finds the remaining differences.
//
// Passes are repeated until a pass finds no difference. The next pass finds rows that were damaged
// during a pass, or deleted between the snapshot and the slice.
//
// Columns that are not sums are repaired differently. The version number of totals is increased.
// The time of the last rating in totals is read from the votes and aggregates. The repair keeps the
// earlier of the stored and the found time of a user's first rating, and the later time of a user's
// last rating. The voters' rows and the activity pairs are a history that cannot be computed from
// the votes alone, so a repair changes this history as little as possible. The last active day of a
// voter is changed if a counted vote is newer. Activity pairs are changed only if their numbers
// contradict each other (pairs_to_add()).
class Repair {
 public:
  static constexpr std::chrono::seconds kLockTimeout{5};
  static constexpr std::size_t kRowsOfSlice = 500;
  static constexpr int kMostPasses = 5;

  // Creates a repair, which excludes all other repairs. Waits up to "lock_timeout" for a running
  // repair to end. "connection" must outlive this object. Totals that were missing are stored with
  // the time "now" as their version. All functions throw the same exceptions as db::Connection.
  // Throws db::Conflict if a different repair is in progress, or if conflicts with other
  // transactions continue.
  Repair(db::Connection& connection, base::Time now,
         std::chrono::seconds lock_timeout = kLockTimeout,
         std::size_t rows_of_slice = kRowsOfSlice);

  struct Result {
    std::int64_t rows = 0;     // the number of rows written in all passes
    bool is_complete = false;  // true if the last pass has found no difference
  };

  // Repairs all rows that differ and regularly calls "progress". If the last pass finds no
  // difference, stores that no repair is due.
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
// stores its day and the number of rebuilds that version 0.3 has run. A repair is due if no repair
// was stored. A repair is also due if, since the last repair, version 0.3 has rebuilt the rollups,
// or workers that do not support all rollups (kProgram) have written votes.
//
// All functions throw the same exceptions as db::Connection.

// The function note_repair() stores that a repair is complete. The function require_repair() stores
// that a repair is due.
void note_repair(db::Connection& connection);
void require_repair(db::Connection& connection);

enum class RepairDue {
  no,
  later,  // due, but workers that do not support all rollups have written votes today
  now,
};
[[nodiscard]] RepairDue repair_due(db::Connection& connection);

// The number of voters in each activity pair (rollups/rollup_changes.h), and the number of voters
// with each last active day.
struct Activity {
  using Pair = std::pair<base::Day, base::Day>;  // a day, and the previous active day
  std::map<Pair, std::int64_t> pairs;
  std::map<base::Day, std::int64_t> last_days;
};

// Reads the activity of all voters in one database snapshot. Throws the same exceptions as
// db::Connection.
[[nodiscard]] Activity read_activity(db::Connection& connection);

// Returns the imbalance of all days on which numbers of voters contradict each other. A voter who
// was active on a day is in a pair that ends on the day. If the day is not the voter's last active
// day, the voter is also in a pair that begins on the day. So the number of voters in pairs that
// end on a day must equal the number of voters in pairs that begin on the day, plus the number of
// voters whose last active day is the day. The imbalance is the difference between both sides of
// this equation. If the imbalance is negative, pairs that end on the day are missing. Transactions
// that change activity do not change the imbalance.
[[nodiscard]] std::map<base::Day, std::int64_t> imbalance_of(const Activity& activity);

// Returns changes to the activity pairs that remove the imbalance on all days. The changes are a
// guess, because the database does not store who was active on a past day. The guess is correct if
// rows with activity pairs were accidentally lost or added, or if the pairs for some votes are
// missing. Voters are removed from a pair if the imbalance is positive on its later day and
// negative on its earlier day. If the imbalance on a day is negative, voters are added to a pair
// that ends on the day and begins on the latest earlier day with a positive imbalance. If no
// earlier day has a positive imbalance, the added voters count as never active before. If the
// imbalance on a day is positive, voters are removed from the pairs that end on the day, beginning
// with the pair that has the latest earlier day.
[[nodiscard]] std::map<Activity::Pair, std::int64_t> pairs_to_add(Activity activity);

}  // namespace rollups
