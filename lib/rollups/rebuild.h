#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "base/zone.h"
#include "db/bulk_statement.h"
#include "db/connection.h"
#include "db/server_lock.h"
#include "model/rating.h"
#include "rollups/rollup_changes.h"
#include "rollups/rollup_state.h"

namespace rollups {

// DESIGN. New rollups are made in tables of their own ({prefix}ratingd_totals_new and so on), in
// slices, while votes arrive; then they take the place of the others.
//
// A slice locks the row of {prefix}ratingd_rollup_state alone, adds the next votes in key order to
// the new rollups, notes how far it has come, and commits. Whoever changes votes locks that row
// shared, first of all: so a slice sees every vote that was changed before it, and whoever comes
// after it sees how far it has come. Of a vote that the new rollups have already, each change is
// written to both in one transaction (RollupChanges); one that they do not have yet comes with its
// slice, as it is then. Votes are passed twice, by object and by voter: the sums by voter need all
// votes of a voter at once, to know its active days. Between slices is as much time
// for the votes as a slice took.
//
// Once the new rollups have everything, one RENAME TABLE swaps all of them and the row of state,
// which holds the zone: it waits for the transactions that have looked at that row and lets no
// other begin, so each vote counts in one zone or in the other. It gives up after a second, since
// new statements wait behind it, and is tried again.
//
// The run may end at any moment, also by a kill: a slice is committed with the note of it or not at
// all, and the next run goes on there. Until then votes are written to both. It begins anew when
// the site's zone has changed again.
//
// Sums are exact. What the votes cannot tell is lost: who was active on days of which no vote tells
// any more (a vote that was taken back, folded, or changed more than once), and since when and
// until when a user rated, as far as the ratings are gone. Balances keep their days, of whatever
// zone.
class RollupRebuild {
 public:
  static constexpr std::int64_t kFirstSlice = 500;
  static constexpr std::chrono::seconds kLockPatience{5};

  // "connection" must outlive it. Days are to be counted in "zone". Locks out other runs.
  // Errors of all functions: as db::Connection; Conflict - another run is under way, or the
  // database was in the way for long.
  // "first_slice": rows; later slices are as large as their time allows. "lock_patience": how long
  // it waits for another run to end.
  RollupRebuild(db::Connection& connection, const std::string& table_prefix, base::Zone zone,
                std::int64_t first_slice = kFirstSlice,
                std::chrono::seconds lock_patience = kLockPatience);

  // Begins, or goes on; "progress" hears now and then how many of about how many rows are done.
  // Blocks until all is swapped, then calls "on_swapped" on the same session: lists that were made
  // of the old rollups are to be discarded. It may be repeated. REQUIRES: run() is called once.
  using Progress = std::function<void(std::int64_t done, std::int64_t all)>;
  void run(const Progress& progress, const std::function<void()>& on_swapped);

  // Whether run() goes on where an earlier one ended.
  [[nodiscard]] bool is_resumed() const { return is_resumed_; }

 private:
  void begin();
  void empty_new_tables();
  std::int64_t count_rows();
  bool add_slice();
  // Each adds the next rows of its phase, sets the position in "next" and returns how many they
  // are; none: the phase is over.
  std::size_t add(Rebuild& next);
  std::size_t add_totals(Rebuild& next);
  std::size_t add_aggregates(Rebuild& next);
  std::size_t add_votes(Rebuild& next);
  std::size_t add_voters(Rebuild& next);
  model::VoterId end_of_slice(model::VoterId after);
  [[nodiscard]] RollupChanges new_changes() const;
  void swap(const std::function<void()>& on_swapped);

  db::Connection& connection_;
  const std::string table_prefix_;
  const std::string prefix_;  // of ratingd's own tables
  const base::Zone zone_;
  const db::ServerLock lock_;
  const RollupStateStore state_;
  const AllRollupStatements statements_;
  const db::BulkStatement save_versions_, save_voters_;
  const std::int64_t first_slice_;  // rows
  std::int64_t slice_;
  bool has_new_phase_ = false;  // since the last slice
  bool is_resumed_ = false;
  std::int64_t done_ = 0;
};

}  // namespace rollups
