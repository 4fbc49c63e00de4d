#pragma once

#include <cstdint>
#include <optional>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"

namespace rollups {

struct RollupState {
  base::Zone zone;               // the time zone in which days are counted now
  std::int64_t rebuilds = 0;     // how often version 0.3 has rebuilt the rollups
  bool has_old_rebuild = false;  // version 0.3 has begun a rebuild but has not finished it
  // A random number that changes with every change to the table of time zones. The value is 0 if
  // the table of time zones is empty, or if version 0.3 has rebuilt the rollups since the table was
  // last changed.
  std::uint64_t zones_version = 0;
  base::ZoneHistory zones = {};  // the time zones in which days are counted
};

// The following functions read and change the rollup state, which is stored in one row. Each
// transaction that changes votes or rollups first locks the rollup state and then changes its
// writer's row in the table of writers (rollups/writers.h). Transactions that change votes acquire
// a shared lock, so such transactions can run at the same time. A repair excludes all changes to
// votes, because it acquires an exclusive lock and changes all rows in the table of writers. The
// shared lock and the exclusive lock exclude only transactions on the same database server. In a
// database cluster, transactions on different nodes conflict if they change the same row.
//
// While version 0.3 rebuilds the rollups, all programs must also write their changes to a second
// set of rollups. Version 0.4 never writes to a second set of rollups, because it first ends any
// rebuild started by version 0.3.
//
// All functions throw the same exceptions as db::Connection. Functions that read the rollup state
// throw std::runtime_error if no state is stored, or if a stored time zone is unknown on this host.

// Returns the rollup state without acquiring a lock.
[[nodiscard]] RollupState read_state(db::Connection& connection);
// Returns the time zones that determine the day on which the rollups count a vote.
[[nodiscard]] inline base::ZoneHistory stored_zones(db::Connection& connection) {
  return read_state(connection).zones;
}

// Returns whether the rollup state contains a time zone. ratingd stores the first time zone after
// it has created all tables.
[[nodiscard]] bool has_zone(db::Connection& connection);
// Stores "zone" as the first time zone, unless a time zone is already stored.
void set_initial_zone(db::Connection& connection, const base::Zone& zone);

// Throws std::runtime_error if the session counts the rows matched by an UPDATE statement instead
// of the rows changed, because db::Statement::execute() would return wrong row counts. Sessions
// opened by database proxies with the CLIENT_FOUND_ROWS flag count matched rows.
void require_changed_rows(db::Connection& connection);

// Adds a statement to a multi-statement (db/multi_statement.h). The statement acquires the shared
// lock for a transaction that writes a batch of votes. The transaction must not hold any other
// lock, and must later change its writer's row (add_raise_sequence()).
void add_lock_shared(db::Connection& connection);
// Reads the rollup state from "row", the result of the statement from add_lock_shared(). Call
// locked_state() in the transaction that executed the statement from add_lock_shared(). "known" is
// a rollup state read earlier. The time zones in "known" are reused if they have not changed.
[[nodiscard]] RollupState locked_state(db::Connection& connection, db::Rows& row,
                                       const std::optional<RollupState>& known);

// Acquires the shared lock for a change to votes or rollups other than a batch of votes, and
// records the change in the row of writer 0. In a database cluster, locks on voters do not exclude
// batches on other nodes. Therefore, if the cluster's other nodes accept writes, this function
// excludes all batches (fence_writers()). The transaction must not hold any other lock.
[[nodiscard]] RollupState lock_for_change(db::Connection& connection);

// Acquires the exclusive lock in order to change the rollup state. The lock excludes all
// transactions that change votes or rollups. The transaction must not hold any other lock.
[[nodiscard]] RollupState lock_exclusive(db::Connection& connection);

// Like lock_exclusive(), but also works if the rollup state is invalid or missing. Only a restore,
// which replaces the rollup state, should call this function.
void lock_damaged(db::Connection& connection);

// Stores the CMS's time zone, "site_zone", if it differs from the newest stored time zone. Returns
// whether the stored time zones have changed. A new time zone takes effect at the midnight returned
// by ZoneHistory::next_midnight() and does not affect past days. A stored time zone that does not
// apply yet is replaced. No time zone is added if workers with version 0.3, which supports only one
// time zone, have written votes today or yesterday. As soon as a new time zone applies, it is also
// stored as the current time zone in the rollup state. The time zones are stored in a separate
// table, which is empty until the CMS's time zone first changes.
bool follow_zone(db::Connection& connection, const base::Zone& site_zone, base::Time now);

// If version 0.3 has begun to rebuild the rollups, ends the rebuild and records that a repair is
// due. Call the overload with the "state" parameter in a transaction that has locked the rollup
// state. Neither overload acquires the exclusive lock unless there is such a rebuild.
void end_old_rebuild(db::Connection& connection);
void end_old_rebuild(db::Connection& connection, const RollupState& state);

// Returns whether version 0.2 has started but not finished the deletion of all ratings. After an
// unfinished deletion, the voters' activity and last active days do not match the stored ratings
// until the next repair. Throws the same exceptions as db::Connection.
[[nodiscard]] bool is_activity_shortened(db::Connection& connection);

}  // namespace rollups
