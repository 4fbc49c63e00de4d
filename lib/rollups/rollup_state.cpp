#include "rollups/rollup_state.h"

#include <stdexcept>
#include <tuple>

#include "rollups/writer_rows.h"

namespace rollups {
namespace {

base::Zone zone_named(const std::string& name) {
  const auto zone = base::Zone::named(name);
  if (!zone) throw std::runtime_error("the time zone " + name + " is not known; install tzdata");
  return *zone;
}

constexpr std::string_view kRead =
    "SELECT zone, next_zone, phase, object_id, object_type, category, voter, done, rebuilds"
    " FROM {prefix}ratingd_rollup_state WHERE id = 1";
constexpr std::string_view kLockShared =
    "SELECT zone, next_zone, phase, object_id, object_type, category, voter, done, rebuilds"
    " FROM {prefix}ratingd_rollup_state WHERE id = 1 LOCK IN SHARE MODE";
constexpr std::string_view kLockExclusive =
    "SELECT zone, next_zone, phase, object_id, object_type, category, voter, done, rebuilds"
    " FROM {prefix}ratingd_rollup_state WHERE id = 1 FOR UPDATE";

RollupState state_by(db::Connection& connection, std::string_view statement) {
  db::Rows row = connection.prepare(statement).query();
  return state_in(row);
}

}  // namespace

bool Rebuild::has_aggregate(const model::Object& object, model::Category category) const {
  const auto reached = std::tie(position.object, position.category);
  return phase > Phase::aggregates ||
         (phase == Phase::aggregates && std::tie(object, category) <= reached);
}

RollupState state_in(db::Rows& row) {
  if (!row.next()) throw std::runtime_error("no time zone is noted; run: ratingctl migrate");
  RollupState state{zone_named(row.text(1)), {}, row.integer(9)};
  if (row.integer(3) == 0) return state;
  state.rebuild = Rebuild{zone_named(row.text(2)),
                          static_cast<Rebuild::Phase>(row.integer(3)),
                          {{row.unsigned_integer(4), row.text(5)},
                           static_cast<model::Category>(row.integer(6)),
                           row.unsigned_integer(7)},
                          row.integer(8)};
  return state;
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

void save_rebuild(db::Connection& connection, const std::optional<Rebuild>& rebuild) {
  const Rebuild values = rebuild.value_or(Rebuild{});
  const model::RatingKey& position = values.position;
  connection.execute(
      "UPDATE {prefix}ratingd_rollup_state SET next_zone = ?, phase = ?, object_id = ?,"
      " object_type = ?, category = ?, voter = ?, done = ? WHERE id = 1",
      rebuild ? std::string_view(values.zone.name()) : std::string_view(),
      rebuild ? static_cast<std::int64_t>(values.phase) : std::int64_t{0}, position.object.id,
      position.object.type, position.category, position.voter, values.done);
}

void save_state_of_new(db::Connection& connection, const base::Zone& zone) {
  connection.execute(
      "INSERT INTO {prefix}ratingd_rollup_state_new (id, zone, rebuilds)"
      " SELECT 1, ?, rebuilds + 1 FROM {prefix}ratingd_rollup_state WHERE id = 1"
      " ON DUPLICATE KEY UPDATE zone = VALUES(zone), rebuilds = VALUES(rebuilds)",
      zone.name());
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
