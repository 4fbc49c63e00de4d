#include "rollups/rollup_state.h"

#include <stdexcept>

#include "db/transaction.h"
#include "rollups/repair_due.h"
#include "rollups/writer_rows.h"

namespace rollups {
namespace {

base::Zone zone_named(const std::string& name) {
  const auto zone = base::Zone::named(name);
  if (!zone) throw std::runtime_error("the time zone " + name + " is not known; install tzdata");
  return *zone;
}

constexpr std::string_view kRead =
    "SELECT zone, rebuilds, phase FROM {prefix}ratingd_rollup_state WHERE id = 1";
constexpr std::string_view kLockShared =
    "SELECT zone, rebuilds, phase FROM {prefix}ratingd_rollup_state WHERE id = 1"
    " LOCK IN SHARE MODE";
constexpr std::string_view kLockExclusive =
    "SELECT zone, rebuilds, phase FROM {prefix}ratingd_rollup_state WHERE id = 1 FOR UPDATE";

RollupState state_by(db::Connection& connection, std::string_view statement) {
  db::Rows row = connection.prepare(statement).query();
  return state_in(row);
}

}  // namespace

RollupState state_in(db::Rows& row) {
  if (!row.next()) throw std::runtime_error("no time zone is noted; run: ratingctl migrate");
  return {zone_named(row.text(1)), row.integer(2), row.integer(3) != 0};
}

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

// The table is one that no transaction locks for long.
void require_changed_rows(db::Connection& connection) {
  if (connection.prepare("UPDATE {prefix}ratingd_schema SET version = version").execute() == 0) {
    return;
  }
  throw std::runtime_error(
      "the session counts the rows that it finds, not those that it changes, and so cannot tell "
      "new voters; a proxy before the database must not set CLIENT_FOUND_ROWS "
      "(ProxySQL: mysql-client_found_rows)");
}

void add_lock_shared(db::Connection& connection) { connection.execute(kLockShared); }

RollupState lock_for_change(db::Connection& connection) {
  RollupState state = state_by(connection, kLockShared);
  if (connection.is_multi_primary()) fence_writers(connection);
  note_change(connection);
  end_old_rebuild(connection, state);
  return state;
}

RollupState lock_exclusive(db::Connection& connection) {
  RollupState state = state_by(connection, kLockExclusive);
  fence_writers(connection);
  return state;
}

void lock_damaged(db::Connection& connection) {
  connection.execute(
      "INSERT INTO {prefix}ratingd_rollup_state (id, zone) VALUES (1, 'UTC')"
      " ON DUPLICATE KEY UPDATE id = id");
  db::Rows row = connection.prepare(kLockExclusive).query();
  while (row.next()) continue;
  fence_writers(connection);
}

void end_old_rebuild(db::Connection& connection) {
  if (!read_state(connection).has_old_rebuild) return;
  db::in_transaction(connection, [&] { end_old_rebuild(connection, lock_exclusive(connection)); });
}

// If two transactions wait for the exclusive lock, one of them is rolled back and repeated.
void end_old_rebuild(db::Connection& connection, const RollupState& state) {
  if (!state.has_old_rebuild) return;
  static_cast<void>(lock_exclusive(connection));
  connection.execute(
      "UPDATE {prefix}ratingd_rollup_state SET next_zone = '', phase = 0, object_id = 0,"
      " object_type = '', category = 0, voter = 0, done = 0 WHERE id = 1");
  require_repair(connection);
}

bool is_activity_shortened(db::Connection& connection) {
  // A time, the number of rebuilds then, and the progress.
  return connection
      .query(
          "SELECT 1 FROM {prefix}ratingd_state JOIN {prefix}ratingd_rollup_state ON id = 1"
          " WHERE name = 'cleaning_all' AND value LIKE CONCAT('%/', rebuilds, '/%')")
      .next();
}

}  // namespace rollups
