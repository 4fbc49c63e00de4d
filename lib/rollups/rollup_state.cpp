#include "rollups/rollup_state.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/crypto.h"
#include "db/transaction.h"
#include "rollups/repair.h"
#include "rollups/rollup.h"
#include "rollups/writers.h"

namespace rollups {
namespace {

base::Zone zone_named(const std::string& name) {
  const auto zone = base::Zone::named(name);
  if (!zone)
    throw std::runtime_error("the time zone " + name +
                             " is unknown on this host. Install the package tzdata");
  return *zone;
}

// If version 0.3 has rebuilt the rollups, time zones that were stored before the rebuild are
// invalid.
constexpr std::string_view kRead =
    "SELECT state.zone, state.rebuilds, state.phase, state.zones_version, zones.since, zones.zone"
    " FROM {prefix}ratingd_rollup_state AS state LEFT JOIN {prefix}ratingd_zones AS zones"
    " ON zones.rebuilds = state.rebuilds WHERE state.id = 1 ORDER BY zones.since";

const std::string& lock_shared_text() {
  static const std::string kText = std::string(kRead) + " LOCK IN SHARE MODE";
  return kText;
}

const std::string& lock_exclusive_text() {
  static const std::string kText = std::string(kRead) + " FOR UPDATE";
  return kText;
}

// Reads the rollup state from a row, but not the history of time zones, which is in a separate
// table.
RollupState state_in(db::Rows& row) {
  if (!row.next()) throw std::runtime_error("no time zone is stored. Run: ratingctl migrate");
  RollupState state{zone_named(row.text(1)), row.integer(2), row.integer(3) != 0,
                    row.unsigned_integer(4)};
  state.zones = state.zone;
  return state;
}

RollupState state_by(db::Connection& connection, std::string_view statement) {
  db::Rows row = connection.prepare(statement).query();
  RollupState state = state_in(row);
  if (row.is_null(5)) return state;
  state.zones = zone_named(row.text(6));
  while (row.next()) state.zones.add(row.time(5), zone_named(row.text(6)));
  return state;
}

constexpr base::Time kAlways = kNeverActive;  // the beginning of the first time zone
constexpr int kAttemptsOfZone = 10;

// Returns whether workers with version 0.3 have written votes today or yesterday, and may therefore
// still be running.
bool has_old_writers(db::Connection& connection) {
  return connection
             .query(
                 "SELECT EXISTS (SELECT 1 FROM {prefix}ratingd_writers WHERE writer <> 0"
                 " AND program = 0 AND seen_on >= UTC_DATE() - INTERVAL 1 DAY)")
             .number() != 0;
}

// Returns the later of "now" and the time of the newest vote. A vote may be newer than "now" if its
// host's clock is ahead of this host's clock.
base::Time newest_time(db::Connection& connection, base::Time now) {
  constexpr std::chrono::hours kMostAhead{1};
  db::Rows row = connection.query(
      "SELECT MAX(rated_at) FROM {prefix}ratingd_votes FORCE INDEX (by_time) WHERE rated_at < ?",
      now + kMostAhead);
  return row.next() && !row.is_null(1) ? std::max(now, row.time(1)) : now;
}

void save_zone(db::Connection& connection, std::int64_t rebuilds, base::Time since,
               const base::Zone& zone) {
  connection.execute(
      "INSERT INTO {prefix}ratingd_zones (rebuilds, since, zone) VALUES (?, ?, ?)"
      " ON DUPLICATE KEY UPDATE zone = VALUES(zone)",
      rebuilds, since, zone.name());
}

// Stores "zone" as the next time zone, and deletes an earlier choice that has not taken effect yet.
// The caller must have locked the rollup state.
void set_coming_zone(db::Connection& connection, const RollupState& state, const base::Zone& zone,
                     base::Time now) {
  const base::Time newest = newest_time(connection, now);
  connection.execute("DELETE FROM {prefix}ratingd_zones WHERE rebuilds <> ? OR since > ?",
                     state.rebuilds, newest);
  connection.execute("UPDATE {prefix}ratingd_rollup_state SET zones_version = ? WHERE id = 1",
                     base::random_u64() | 1);
  const base::ZoneHistory begun = read_state(connection).zones;
  if (begun.last().name() == zone.name()) return;
  save_zone(connection, state.rebuilds, kAlways, begun.at(base::Time::min()));
  save_zone(connection, state.rebuilds, begun.next_midnight(newest, zone), zone);
}

}  // namespace

RollupState read_state(db::Connection& connection) { return state_by(connection, kRead); }

bool has_zone(db::Connection& connection) {
  return connection.query("SELECT 1 FROM {prefix}ratingd_rollup_state").next();
}

void set_initial_zone(db::Connection& connection, const base::Zone& zone) {
  connection.execute(
      "INSERT INTO {prefix}ratingd_rollup_state (id, zone) VALUES (1, ?)"
      " ON DUPLICATE KEY UPDATE id = id",
      zone.name());
}

// The check uses the ratingd_schema table because transactions lock this table only briefly.
void require_changed_rows(db::Connection& connection) {
  if (connection.prepare("UPDATE {prefix}ratingd_schema SET version = version").execute() == 0) {
    return;
  }
  throw std::runtime_error(
      "the database session counts matched rows instead of changed rows, so ratingd cannot "
      "recognize new voters; a database proxy must not set CLIENT_FOUND_ROWS "
      "(ProxySQL: mysql-client_found_rows)");
}

// The statement does not read the time zones table, because the read would account for 10% of the
// time for each batch of votes.
void add_lock_shared(db::Connection& connection) {
  connection.execute(
      "SELECT zone, rebuilds, phase, zones_version FROM {prefix}ratingd_rollup_state"
      " WHERE id = 1 LOCK IN SHARE MODE");
}

RollupState locked_state(db::Connection& connection, db::Rows& row,
                         const std::optional<RollupState>& known) {
  RollupState state = state_in(row);
  if (state.zones_version == 0) return state;
  if (!known || known->zones_version != state.zones_version) {
    return state_by(connection, lock_shared_text());
  }
  state.zones = known->zones;
  return state;
}

RollupState lock_for_change(db::Connection& connection) {
  RollupState state = state_by(connection, lock_shared_text());
  if (connection.is_multi_primary()) fence_writers(connection);
  note_change(connection);
  end_old_rebuild(connection, state);
  return state;
}

RollupState lock_exclusive(db::Connection& connection) {
  RollupState state = state_by(connection, lock_exclusive_text());
  fence_writers(connection);
  return state;
}

void lock_damaged(db::Connection& connection) {
  connection.execute(
      "INSERT INTO {prefix}ratingd_rollup_state (id, zone) VALUES (1, 'UTC')"
      " ON DUPLICATE KEY UPDATE id = id");
  db::Rows row = connection.prepare(lock_exclusive_text()).query();
  while (row.next()) continue;
  fence_writers(connection);
}

bool follow_zone(db::Connection& connection, const base::Zone& site_zone, base::Time now) {
  const auto is_followed = [&](const RollupState& state) {
    return state.zones.last().name() == site_zone.name() &&
           state.zone.name() == state.zones.at(now).name();
  };
  if (is_followed(read_state(connection))) return false;
  return db::in_transaction_if(connection, kAttemptsOfZone, [&] {
    const RollupState state = lock_exclusive(connection);
    const base::Zone& in_force = state.zones.at(now);
    const bool has_begun = state.zone.name() != in_force.name();
    const bool adds = state.zones.last().name() != site_zone.name() && !has_old_writers(connection);
    if (!has_begun && !adds) return false;
    note_change(connection);
    if (has_begun) {
      connection.execute("UPDATE {prefix}ratingd_rollup_state SET zone = ? WHERE id = 1",
                         in_force.name());
    }
    if (adds) set_coming_zone(connection, state, site_zone, now);
    return true;
  });
}

void end_old_rebuild(db::Connection& connection) {
  if (!read_state(connection).has_old_rebuild) return;
  db::in_transaction(connection, [&] { end_old_rebuild(connection, lock_exclusive(connection)); });
}

// If two transactions wait for the exclusive lock, the database rolls one of them back, and ratingd
// retries it.
void end_old_rebuild(db::Connection& connection, const RollupState& state) {
  if (!state.has_old_rebuild) return;
  static_cast<void>(lock_exclusive(connection));
  connection.execute(
      "UPDATE {prefix}ratingd_rollup_state SET next_zone = '', phase = 0, object_id = 0,"
      " object_type = '', category = 0, voter = 0, done = 0 WHERE id = 1");
  require_repair(connection);
}

bool is_activity_shortened(db::Connection& connection) {
  // The "cleaning_all" value consists of a time, the number of rebuilds up to this time, and the
  // progress of the deletion.
  return connection
      .query(
          "SELECT 1 FROM {prefix}ratingd_state JOIN {prefix}ratingd_rollup_state ON id = 1"
          " WHERE name = 'cleaning_all' AND value LIKE CONCAT('%/', rebuilds, '/%')")
      .next();
}

}  // namespace rollups
