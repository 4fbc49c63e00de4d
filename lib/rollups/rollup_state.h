#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"

namespace rollups {

struct RollupState {
  base::Zone zone;               // the time zone in which days are counted now
  std::int64_t rebuilds = 0;     // how often version 0.3 has rebuilt the rollups
  bool has_old_rebuild = false;  // version 0.3 has begun a rebuild but has not finished it
  // A random number that changes whenever the table of time zones changes. The number is 0 if the
  // table of time zones is empty, or if version 0.3 has rebuilt the rollups since the last change.
  std::uint64_t zones_version = 0;
  base::ZoneHistory zones = {};  // the time zones in which days are counted
};

// The following functions read and change the rollup state, which is stored in one row. Each
// transaction that changes votes or rollups first locks the rollup state and then changes the
// writer's row in the table of writers (rollups/writers.h). Transactions that change votes acquire
// a shared lock, so they do not exclude each other. A repair excludes all changes to votes because
// it acquires an exclusive lock and changes all rows in the table of writers. The lock excludes
// only changes on the same database server. In a database cluster, transactions on different nodes
// conflict if they change the same row.
//
// During a rebuild by version 0.3, every program must also write its changes to a second set of
// rollups. Version 0.4 instead ends every rebuild by version 0.3 before it changes any data.
//
// All functions throw the same exceptions as db::Connection. Functions that read the rollup state
// throw std::runtime_error if no state is stored, or if a stored time zone is unknown on this host.

// Returns the rollup state without acquiring a lock.
[[nodiscard]] RollupState read_state(db::Connection& connection);
// Returns the time zones in which the rollups' days are counted.
[[nodiscard]] inline base::ZoneHistory stored_zones(db::Connection& connection) {
  return read_state(connection).zones;
}

// Returns whether a time zone is stored. The time zone is stored in the last step of creating the
// tables.
[[nodiscard]] bool has_zone(db::Connection& connection);
// Stores the time zone "zone" if no time zone is stored.
void set_initial_zone(db::Connection& connection, const base::Zone& zone);

// Throws std::runtime_error if the session counts the rows that an UPDATE statement finds, instead
// of the rows that the statement changes. In such a session, the results of
// db::Statement::execute() are wrong. A database proxy may enable such sessions with the option
// CLIENT_FOUND_ROWS.
void require_changed_rows(db::Connection& connection);

// Adds a statement to a multi-statement (db/multi_statement.h). The statement acquires the shared
// lock for a batch of votes. The transaction must not have locked anything before, and must change
// the row of its writer (add_raise_sequence()).
void add_lock_shared(db::Connection& connection);
// Reads the rollup state from the row that the statement from add_lock_shared() has returned. Must
// be called in the same transaction as add_lock_shared(). "known" is an earlier state, whose time
// zones are reused if they have not changed.
[[nodiscard]] RollupState locked_state(db::Connection& connection, db::Rows& row,
                                       const std::optional<RollupState>& known);

// Acquires the shared lock for any change to votes or rollups that is not a batch, and counts the
// change. In a database cluster, locks on voters do not exclude batches on other nodes. So if other
// nodes accept writes, the transaction excludes all batches (fence_writers()). The transaction must
// not have locked anything before.
[[nodiscard]] RollupState lock_for_change(db::Connection& connection);

// Acquires the exclusive lock for a change to the rollup state. The lock excludes all transactions
// that change votes or rollups. The transaction must not have locked anything before.
[[nodiscard]] RollupState lock_exclusive(db::Connection& connection);

// Acquires the exclusive lock like lock_exclusive(), but accepts an invalid or missing rollup
// state. The function is intended for a restore, which replaces the rollup state.
void lock_damaged(db::Connection& connection);

// Adds the time zone of the CMS, "site_zone", to the stored time zones, if "site_zone" differs from
// the last stored zone. Returns whether anything has changed. The new zone applies from the
// midnight that ZoneHistory::next_midnight() returns and does not change past days. If the last
// stored zone does not apply yet, it is replaced. No zone is added if workers with version 0.3,
// which supports only one zone, have written votes today or yesterday. As soon as a zone applies,
// it is stored as the current zone. Zones are stored in a separate table, which is empty until the
// first change.
bool follow_zone(db::Connection& connection, const base::Zone& site_zone, base::Time now);

// If version 0.3 has begun a rebuild, ends the rebuild and stores that a repair is due. The
// overload with "state" acquires the exclusive lock and must be called in a transaction that has
// locked the rollup state.
void end_old_rebuild(db::Connection& connection);
void end_old_rebuild(db::Connection& connection, const RollupState& state);

// Returns whether version 0.2 has started to delete all ratings but has not finished. After an
// unfinished deletion, the voters' activity and last active days do not match the stored ratings
// until the next repair. Throws the same exceptions as db::Connection.
[[nodiscard]] bool is_activity_shortened(db::Connection& connection);

}  // namespace rollups
