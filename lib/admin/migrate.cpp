#include "admin/migrate.h"

#include <fmt/core.h>

#include <string>

#include "adapters/adapters.h"
#include "admin/database_waits.h"
#include "db/endpoint.h"
#include "db/migrations.h"
#include "rollups/rollup_state.h"

namespace admin {
int migrate(const config::Config& config) {
  db::Connection connection(db::endpoint_of(config.database, kWaitForAll));
  int applied = 0;
  db::migrate(connection, config.table_prefix, [&](const db::Migration& migration) {
    fmt::print("applied {}\n", migration.name);
    ++applied;
  });
  const rollups::RollupStateStore state(config.table_prefix);
  state.set_initial_zone(connection, adapters::make_cms(config)->time_zone(connection));
  fmt::print("{}; schema version {}, days counted in {}\n", applied == 0 ? "nothing to do" : "done",
             db::schema_version(connection, config.table_prefix), state.zone(connection).name());
  return 0;
}

}  // namespace admin
