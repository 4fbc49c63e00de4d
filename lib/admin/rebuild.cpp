#include "admin/rebuild.h"

#include <fmt/core.h>

#include <cstdio>

#include "adapters/adapters.h"
#include "admin/database_waits.h"
#include "admin/progress.h"
#include "analytics/materialized_lists.h"
#include "db/endpoint.h"
#include "db/migrations.h"
#include "rollups/rebuild.h"

namespace admin {
int rebuild(const config::Config& config) {
  db::Connection connection(db::endpoint_of(config.database, kWaitForAll));
  const int version = db::schema_version(connection, config.table_prefix);
  if (!db::can_run_on(version)) {
    std::puts(db::advice_for(version).text().c_str());
    return 1;
  }
  const base::Zone zone = adapters::make_cms(config)->time_zone(connection);
  rollups::RollupRebuild rebuild(connection, config.table_prefix, zone);
  if (rebuild.is_resumed()) std::puts("continuing an interrupted run");
  {
    Progress progress("rebuilding");
    const analytics::MaterializedLists lists(config.table_prefix);
    rebuild.run([&](std::int64_t done, std::int64_t all) { progress.show(done, all); },
                [&] { lists.invalidate(connection); });
  }
  fmt::print("all sums are rebuilt; days are counted in {}\n", zone.name());
  return 0;
}

}  // namespace admin
