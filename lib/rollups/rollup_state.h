#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"

namespace rollups {

struct RollupState {
  base::Zone zone;               // the zone in which days are counted now
  std::int64_t rebuilds = 0;     // how often version 0.3 has rebuilt the rollups
  bool has_old_rebuild = false;  // version 0.3 has begun a rebuild but has not finished it
  // Identifies the content of the zones table. This random number changes whenever the content
  // changes. It is 0 if the table is empty, or if version 0.3 has rebuilt the rollups since the
  // last change.
  std::uint64_t zones_version = 0;
  base::ZoneHistory zones = {};  // the zones in which days are counted
};

// The rollup state, which is stored in one row. Each transaction that changes votes or rollups
// first locks this row and then changes its row in the table of writers (rollups/writers.h).
// Transactions that change votes take a shared lock, so they do not exclude each other. A repair
// takes an exclusive lock and changes all rows in the table of writers, so it excludes all changes
// to votes. The lock excludes
// changes on the same server. In a cluster, transactions on different nodes conflict if they change
// the same row.
//
// A rebuild by version 0.3 expects every program to write its changes to a second set of rollups,
// too. This program does not do so. Instead, it ends such a rebuild before it changes anything.
//
// Errors (all functions): same as db::Connection. Functions that read the state throw
// std::runtime_error if the row is missing, or if one of its zones is unknown on this host.

// Returns the state without taking a lock.
[[nodiscard]] RollupState read_state(db::Connection& connection);
// Returns the time zones in which the rollups' days are counted.
[[nodiscard]] inline base::ZoneHistory stored_zones(db::Connection& connection) {
  return read_state(connection).zones;
}

// Returns whether a zone is stored. Storing the state is the last step in creating the tables.
[[nodiscard]] bool has_zone(db::Connection& connection);
// Stores "zone" unless a zone is already stored. Days that have already been counted keep their
// zone.
void set_initial_zone(db::Connection& connection, const base::Zone& zone);

// Throws std::runtime_error if the session counts the rows that a statement finds, instead of the
// rows that the statement changes. A proxy may set this option (CLIENT_FOUND_ROWS). In this case,
// the results of db::Statement::execute() would be wrong. Changes nothing.
void require_changed_rows(db::Connection& connection);

// Adds the statement that takes the shared lock for a batch of votes, while statements are
// collected (db/multi_statement.h). REQUIRES: the transaction has locked nothing yet, and changes
// the row of its writer (add_raise_sequence()).
void add_lock_shared(db::Connection& connection);
// Returns the state from the row that the statement from add_lock_shared() has returned. Must be
// called in the same transaction. "known" is an earlier state. If the zones have not changed since,
// the zones in "known" are used.
[[nodiscard]] RollupState locked_state(db::Connection& connection, db::Rows& row,
                                       const std::optional<RollupState>& known);

// Takes the shared lock for any change to votes or rollups that is not a batch, and counts the
// change. In a cluster, locks on voters do not exclude batches on other nodes. So if other nodes
// accept writes, the transaction excludes all batches (fence_writers()). REQUIRES: the transaction
// has locked nothing yet.
[[nodiscard]] RollupState lock_for_change(db::Connection& connection);

// Takes the exclusive lock for a change to the rollup state. The lock excludes all transactions
// that change votes or rollups. REQUIRES: same as for lock_for_change().
[[nodiscard]] RollupState lock_exclusive(db::Connection& connection);

// Does the same as lock_exclusive(), but accepts an invalid or missing row. It is for a restore,
// which replaces the row.
void lock_damaged(db::Connection& connection);

// Adds the CMS's zone, "site_zone", to the stored zones, unless it is already the last zone.
// Returns whether anything has changed. Days are counted in the new zone from the midnight that
// ZoneHistory::next_midnight() returns; past days keep their zones. A zone that has not begun yet
// is replaced. No zone is added if workers with version 0.3, which know only one zone, have written
// votes today or yesterday. Once a zone has begun, it is stored as the current zone. The zones are
// stored in a separate table, which is empty until the first change.
bool follow_zone(db::Connection& connection, const base::Zone& site_zone, base::Time now);

// If version 0.3 has begun a rebuild, ends this rebuild and records that a repair is due. The
// second function takes the exclusive lock. REQUIRES for the second function: the transaction has
// locked the state.
void end_old_rebuild(db::Connection& connection);
void end_old_rebuild(db::Connection& connection, const RollupState& state);

// Returns whether version 0.2 has begun to delete all ratings but has not finished. In this case,
// the voters' activity and last days do not match the stored ratings until a repair. Errors: same
// as db::Connection.
[[nodiscard]] bool is_activity_shortened(db::Connection& connection);

}  // namespace rollups
