#include "admin/status.h"

#include <cstdio>

#include "db/endpoint.h"
#include "db/migrations.h"
#include "store/state_store.h"
#include "store/verification.h"

namespace admin {
namespace {

constexpr std::chrono::hours kPatience{24};  // a statement may read all votes

}  // namespace

int status(const config::Config& config) {
  db::Connection connection(db::endpoint_of(config.database, kPatience));
  std::printf("database  %s on %s\n", config.database.name.c_str(), connection.server().c_str());
  const int version = db::schema_version(connection, config.table_prefix);
  std::printf("schema    version %d, this program knows %d\n", version, db::newest_version());
  if (!db::can_run_on(version)) {
    std::printf("%s\n", db::advice_for(version).c_str());
    return 1;
  }
  const store::Counts counts = store::count_rows(connection, config.table_prefix);
  std::printf("zone      %s\n",
              store::StateStore(config.table_prefix).zone(connection).name().c_str());
  std::printf("votes     about %lld\nvoters    about %lld\nobjects   about %lld\n",
              static_cast<long long>(counts.votes), static_cast<long long>(counts.voters),
              static_cast<long long>(counts.objects));
  return 0;
}

}  // namespace admin
