#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/zone_history.h"
#include "db/connection.h"
#include "model/rating.h"

namespace rollups {

struct RollupState {
  base::Zone zone;               // the zone in which days are counted now
  std::int64_t rebuilds = 0;     // how often version 0.3 has rebuilt the rollups
  bool has_old_rebuild = false;  // version 0.3 has begun a rebuild, and not ended it
  // Names the content of the table of zones: a random number, another one after each change. 0: the
  // table is empty, or version 0.3 has rebuilt the rollups since.
  std::uint64_t zones_version = 0;
  base::ZoneHistory zones = {};  // the zones in which days are counted
};

// The state of the rollups: one row. Each transaction that changes votes or rollups locks it first,
// then changes its row of writers (rollups/writer_rows.h). Changes of votes take a shared lock, so
// they do not exclude each other. A repair takes an exclusive lock and changes all rows of writers,
// so it excludes all changes of votes: on one server because of the locks, on the nodes of a
// cluster because transactions that change the same row conflict.
//
// A rebuild by version 0.3 expects that all changes are written to a second set of rollups, too.
// This version ends such a rebuild instead, before it changes anything.
//
// Errors of all functions: as db::Connection. Functions that read throw std::runtime_error if the
// row is missing, or if one of its zones is unknown on this host.

// Reads without a lock.
[[nodiscard]] RollupState read_state(db::Connection& connection);
// The time zones in which the rollups' days are counted.
[[nodiscard]] inline base::ZoneHistory stored_zones(db::Connection& connection) {
  return read_state(connection).zones;
}

// Whether a zone is stored, which is the last step of making the tables.
[[nodiscard]] bool has_zone(db::Connection& connection);
// Stores "zone" if none is stored yet. Days that are counted already keep their zone.
void set_initial_zone(db::Connection& connection, const base::Zone& zone);

// Throws std::runtime_error if the session counts the rows that a statement finds instead of those
// that it changes (CLIENT_FOUND_ROWS, which a proxy may set): the results of
// db::Statement::execute() would be wrong. Changes nothing.
void require_changed_rows(db::Connection& connection);

// For a batch of votes, while statements are collected (db/multi_statement.h): adds the statement
// that takes the shared lock. REQUIRES: the transaction has locked nothing yet, and changes the row
// of its writer (add_raise_sequence()).
void add_lock_shared(db::Connection& connection);
// Then, in the same transaction: returns the state, given the row of that statement. Takes the
// zones from "known", an earlier state, unless they have changed since.
[[nodiscard]] RollupState locked_state(db::Connection& connection, db::Rows& row,
                                       const std::optional<RollupState>& known);

// For all other changes of votes or rollups: takes the shared lock, and counts the change. On a
// cluster whose other nodes accept writes, too, where locks of voters do not exclude batches, the
// transaction excludes all batches (fence_writers()). REQUIRES: a transaction that has locked
// nothing yet.
[[nodiscard]] RollupState lock_for_change(db::Connection& connection);

// For a change of the state: excludes all transactions that change votes or rollups. REQUIRES: as
// lock_for_change().
[[nodiscard]] RollupState lock_exclusive(db::Connection& connection);

// As lock_exclusive(), but the row may be invalid or missing. For a restore, which replaces it.
void lock_damaged(db::Connection& connection);

// The zone in which days are counted changes at midnight, and past days keep their zones. The zones
// are stored in a table of their own, which is empty until the first change.
//
// Adds "site_zone", the zone of the CMS, to the zones, unless it is the last zone already. It
// begins as ZoneHistory::next_midnight() says, and replaces a zone that has not begun yet. Adds no
// zone if workers of version 0.3, which know one zone only, have written votes today or yesterday.
// Once a zone has begun, stores it as the zone of the state. Returns whether anything has changed.
bool follow_zone(db::Connection& connection, const base::Zone& site_zone, base::Time now);

// Ends the rebuild that version 0.3 has begun, if there is one, and stores that a repair is due.
// The second function is for a transaction that has locked the state: it takes the exclusive lock.
void end_old_rebuild(db::Connection& connection);
void end_old_rebuild(db::Connection& connection, const RollupState& state);

// Whether version 0.2 has begun and not ended a deletion of all ratings: then activity and last
// days do not follow from the ratings that are stored, until a repair. Errors: as db::Connection.
[[nodiscard]] bool is_activity_shortened(db::Connection& connection);

}  // namespace rollups
