#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "base/zone.h"
#include "db/connection.h"
#include "db/lease.h"
#include "model/rating.h"
#include "rollups/rollup_changes.h"
#include "rollups/rollup_state.h"

namespace rollups {

// The lease that a rebuild holds. Others hold it to exclude rebuilds. Errors: db::Busy with
// "sentence" - it was not free within "timeout".
[[nodiscard]] inline db::Lease lock_rebuilds(db::Connection& connection,
                                             std::chrono::seconds timeout,
                                             const std::string& sentence) {
  return {connection, "rebuild", timeout, sentence};
}

// DESIGN. A rebuild replaces all rollups while votes arrive. It fills new tables
// ({prefix}ratingd_totals_new and so on) in slices, and then swaps them with the current tables.
//
// A slice takes an exclusive lock on the row of {prefix}ratingd_rollup_state, adds the next votes
// in key order to the new rollups, stores its progress, and commits. Transactions that change votes
// take a shared lock on that row first; on other nodes of a cluster, they conflict with the slice
// (rollups/writer_rows.h). So a slice sees every earlier change, and every later
// transaction sees the progress of the slice. A change of a vote that the new rollups contain is
// written to both sets of rollups in one transaction (RollupChanges). A vote that they do not
// contain yet is added by its slice, in its then current state. Votes are read twice, by object and
// by voter: the sums by voter need all votes of a voter at once, to know the active days. The
// rebuild pauses after each slice for as long as the slice took, so that votes can be written.
//
// When the new rollups are complete, one RENAME TABLE swaps all tables, also the one with the row
// of state, which holds the zone. It waits for transactions that have read that row, and blocks new
// ones, so each vote counts in one zone or in the other. It gives up after a second, since new
// statements wait behind it, and is retried.
//
// A rebuild may be interrupted at any moment, also by a kill: a slice is committed together with
// its progress or not at all, and the next run continues there. Until then votes are written to
// both sets. A run starts again from the beginning if the site's zone has changed again.
//
// Sums are exact. Information that is not in the votes is lost: activity on days of votes that were
// withdrawn, rolled up or changed more than once, and the first and last time at which a user
// rated, as far as these ratings are gone. Aggregates keep their days, in the zone in which they
// were made.
class RollupRebuild {
 public:
  static constexpr std::int64_t kFirstSlice = 500, kMostSlice = 20'000;
  static constexpr std::chrono::seconds kLockTimeout{5};

  // Whether votes may arrive meanwhile. If not, it neither pauses nor makes its slices shorter.
  enum class Pace : std::uint8_t { beside_votes, alone };

  // "connection" must outlive it. The new rollups count days in "zone". Excludes other runs, and
  // waits up to "lock_timeout" for another run to end. "first_slice" is in rows; later slices are
  // as large as their target time allows.
  // Errors of all functions: as db::Connection; Conflict - another run is in progress, or conflicts
  // with other transactions did not end.
  RollupRebuild(db::Connection& connection, base::Zone zone, std::int64_t first_slice = kFirstSlice,
                std::chrono::seconds lock_timeout = kLockTimeout, Pace pace = Pace::beside_votes);

  // Starts or resumes the rebuild. Calls "progress" now and then with the number of finished rows
  // and the estimated number of all rows. Blocks until the tables are swapped, then calls
  // "on_swapped", possibly several times, which discards lists that were made from the old rollups.
  // REQUIRES: run() is called once.
  using Progress = std::function<void(std::int64_t done, std::int64_t all)>;
  void run(const Progress& progress, const std::function<void()>& on_swapped);

  // Whether run() continues an interrupted run.
  [[nodiscard]] bool is_resumed() const { return is_resumed_; }

 private:
  void begin();
  void empty_new_tables();
  std::int64_t count_rows();
  bool add_slice();
  bool try_slice();
  // Each adds the next rows of its phase, sets the position in "next" and returns the number of
  // rows; 0: the phase is complete.
  std::size_t add(Rebuild& next);
  std::size_t add_totals(Rebuild& next);
  std::size_t add_aggregates(Rebuild& next);
  std::size_t add_votes(Rebuild& next);
  std::size_t add_voters(Rebuild& next);
  model::VoterId end_of_slice(model::VoterId after);
  [[nodiscard]] RollupChanges new_changes() const;
  void swap(const std::function<void()>& on_swapped);

  db::Connection& connection_;
  const base::Zone zone_;
  db::Lease lease_;
  const Pace pace_;
  const std::int64_t first_slice_;  // rows
  std::int64_t slice_;
  std::chrono::milliseconds slice_time_{0};  // of the last slice, without failed attempts
  bool has_new_phase_ = false;               // since the last slice
  bool is_resumed_ = false;
  std::int64_t done_ = 0;
};

}  // namespace rollups
