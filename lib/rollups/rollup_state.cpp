#include "rollups/rollup_state.h"

#include <stdexcept>
#include <tuple>

namespace rollups {
namespace {

base::Zone zone_named(const std::string& name) {
  const auto zone = base::Zone::named(name);
  if (!zone) throw std::runtime_error("the time zone " + name + " is not known; install tzdata");
  return *zone;
}

}  // namespace

bool Rebuild::has_aggregate(const model::Object& object, model::Category category) const {
  const auto reached = std::tie(position.object, position.category);
  return phase > Phase::aggregates ||
         (phase == Phase::aggregates && std::tie(object, category) <= reached);
}

RollupState RollupStateStore::state_in(db::Rows& row) {
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

RollupStateStore::RollupStateStore(const std::string& table_prefix)
    : read_(
          "SELECT zone, next_zone, phase, object_id, object_type, category, voter, done,"
          " rebuilds FROM " +
          table_prefix + "ratingd_rollup_state WHERE id = 1"),
      lock_shared_(read_ + " LOCK IN SHARE MODE"),
      lock_exclusive_(read_ + " FOR UPDATE"),
      insert_("INSERT INTO " + table_prefix +
              "ratingd_rollup_state (id, zone) VALUES (1, ?) ON DUPLICATE KEY UPDATE id = id"),
      save_("UPDATE " + table_prefix +
            "ratingd_rollup_state SET next_zone = ?, phase = ?, object_id = ?, object_type = ?,"
            " category = ?, voter = ?, done = ? WHERE id = 1"),
      save_state_of_new_(
          "INSERT INTO " + table_prefix +
          "ratingd_rollup_state_new (id, zone, rebuilds) SELECT 1, ?, rebuilds + 1 FROM " +
          table_prefix +
          "ratingd_rollup_state WHERE id = 1"
          " ON DUPLICATE KEY UPDATE zone = VALUES(zone), rebuilds = VALUES(rebuilds)"),
      change_nothing_("UPDATE " + table_prefix + "ratingd_schema SET version = version"),
      writers_(table_prefix) {}

RollupState RollupStateStore::read(db::Connection& connection) const {
  db::Rows row = connection.prepare(read_).query();
  return state_in(row);
}

void RollupStateStore::require_changed_rows(db::Connection& connection) const {
  if (connection.prepare(change_nothing_).execute() == 0) return;
  throw std::runtime_error(
      "the session counts the rows that it finds, not those that it changes, and so cannot tell "
      "new voters; a proxy before the database must not set CLIENT_FOUND_ROWS "
      "(ProxySQL: mysql-client_found_rows)");
}

RollupState RollupStateStore::lock_for_change(db::Connection& connection) const {
  db::Rows row = connection.prepare(lock_shared_).query();
  RollupState state = state_in(row);
  if (connection.is_multi_primary()) writers_.fence(connection);
  writers_.note_change(connection);
  return state;
}

RollupState RollupStateStore::lock_exclusive(db::Connection& connection) const {
  db::Rows row = connection.prepare(lock_exclusive_).query();
  RollupState state = state_in(row);
  writers_.fence(connection);
  return state;
}

void RollupStateStore::save(db::Connection& connection,
                            const std::optional<Rebuild>& rebuild) const {
  const Rebuild values = rebuild.value_or(Rebuild{});
  const model::RatingKey& position = values.position;
  connection.execute(save_, rebuild ? std::string_view(values.zone.name()) : std::string_view(),
                     rebuild ? static_cast<std::int64_t>(values.phase) : std::int64_t{0},
                     position.object.id, position.object.type, position.category, position.voter,
                     values.done);
}

}  // namespace rollups
