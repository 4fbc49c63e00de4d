#include "admin/verify.h"

#include <fmt/core.h>

#include <cstdio>

#include "admin/database_waits.h"
#include "admin/print_line.h"
#include "admin/progress.h"
#include "base/counted.h"
#include "db/endpoint.h"
#include "db/migrations.h"
#include "rollups/verification.h"

namespace admin {
int verify(const config::Config& config) {
  db::Connection connection(db::endpoint_of(config.database, kWaitForAll));
  const int version = db::schema_version(connection, config.table_prefix);
  if (!db::can_run_on(version)) {
    std::puts(db::advice_for(version).text().c_str());
    return 1;
  }
  const auto differences = [&] {
    Progress progress("verifying");
    return rollups::find_mismatches(
        connection, config.table_prefix,
        [&](std::int64_t done, std::int64_t all) { progress.show(done, all); });
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

}  // namespace admin
