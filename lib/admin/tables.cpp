// The commands for ratingd's tables: migrate, verify, rebuild, drop.

#include <fmt/core.h>

#include <cstdio>
#include <functional>
#include <string>

#include "adapters/adapters.h"
#include "admin/commands.h"
#include "admin/output.h"
#include "analytics/materialized_lists.h"
#include "base/counted.h"
#include "db/endpoint.h"
#include "db/migrations.h"
#include "rollups/rebuild.h"
#include "rollups/rollup_state.h"
#include "rollups/verification.h"
#include "store/removal.h"

namespace admin {

db::Connection connect(const config::Config& config, std::chrono::seconds max_wait) {
  return db::Connection(db::endpoint_of(config.database, max_wait));
}

bool can_use_tables(db::Connection& connection, const config::Config& config, bool is_exact) {
  const int version = db::schema_version(connection, config.table_prefix);
  if (is_exact ? version == db::newest_version() : db::can_run_on(version)) return true;
  fmt::print("{}\n", db::advice_for(version).text());
  return false;
}

void migrate_tables(const config::Config& config) {
  db::Connection connection = connect(config);
  int applied = 0;
  db::migrate(connection, config.table_prefix, [&](const db::Migration& migration) {
    fmt::print("applied {}\n", migration.name);
    ++applied;
  });
  const rollups::RollupStateStore state(config.table_prefix);
  state.set_initial_zone(connection, adapters::make_cms(config)->time_zone(connection));
  fmt::print("{}; schema version {}, days counted in {}\n", applied == 0 ? "nothing to do" : "done",
             db::schema_version(connection, config.table_prefix), state.zone(connection).name());
}

int migrate(const Invocation& call) {
  migrate_tables(call.config);
  return 0;
}

int verify(const Invocation& call) {
  db::Connection connection = connect(call.config);
  if (!can_use_tables(connection, call.config)) return 1;
  const auto differences = [&] {
    Progress progress("verifying");
    return rollups::find_mismatches(connection, call.config.table_prefix, std::ref(progress));
  }();
  for (const rollups::RollupMismatch& difference : differences) {
    print_line(fmt::format("{} differs: {}", difference.rollup, difference.row));
  }
  if (differences.empty()) {
    std::puts("all sums match the votes");
    return 0;
  }
  fmt::print("{} (at most {} are listed of each kind)\n",
             base::counted(differences.size(), "difference", "differences"),
             rollups::kMaxMismatches);
  return 1;
}

int rebuild(const Invocation& call) {
  db::Connection connection = connect(call.config);
  if (!can_use_tables(connection, call.config)) return 1;
  const std::string& table_prefix = call.config.table_prefix;
  const base::Zone zone = adapters::make_cms(call.config)->time_zone(connection);
  rollups::RollupRebuild rebuild(connection, table_prefix, zone);
  if (rebuild.is_resumed()) std::puts("continuing an interrupted run");
  {
    Progress progress("rebuilding");
    const analytics::MaterializedLists lists(table_prefix);
    rebuild.run(std::ref(progress), [&] { lists.invalidate(connection); });
  }
  fmt::print("all sums are rebuilt; days are counted in {}\n", zone.name());
  return 0;
}

int drop(const Invocation& call) {
  db::Connection connection = connect(call.config);
  const int version = db::schema_version(connection, call.config.table_prefix);
  if (version > db::newest_version()) {
    fmt::print(
        "The tables have version {}, and this program does not know all of them. "
        "Use the version of ratingctl that created them.\n",
        version);
    return 1;
  }
  const auto tables = store::own_tables(connection, call.config.table_prefix);
  const std::string place = call.config.database.name + " on " + connection.server();
  if (tables.empty()) {
    fmt::print("There are no tables of ratingd in {}.\n", place);
    return 0;
  }
  if (!call.has("confirm")) {
    for (const store::OwnTable& table : tables) {
      fmt::print(
          "{:<45} {}\n", table.name,
          table.is_view ? "view" : fmt::format("{} rows", store::count_rows_of(connection, table)));
    }
    fmt::print("Nothing was removed. With --confirm these are permanently removed from {}.\n",
               place);
    return 0;
  }
  store::remove(connection, tables);
  fmt::print(
      "Removed all data of ratingd from {}. Running workers end by themselves; afterwards "
      "run: ratingctl free-memory\n",
      place);
  return 0;
}

}  // namespace admin
