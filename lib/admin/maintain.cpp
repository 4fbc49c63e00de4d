#include "admin/maintain.h"

#include <cstdio>

#include "base/clock.h"
#include "db/endpoint.h"
#include "store/retention.h"
#include "store/settings_store.h"

namespace admin {
namespace {

constexpr std::chrono::minutes kPatience{10};  // the first time, there may be much to pass over

}  // namespace

int maintain(const config::Config& config) {
  db::Connection connection(db::endpoint_of(config.database, kPatience));
  const auto settings = store::SettingsStore(config.table_prefix).load(connection).settings;
  if (settings.address_retention.count() == 0) {
    std::puts("addresses stay: address_retention_days is 0");
    return 0;
  }
  const base::Time before = base::SystemClock().now() - settings.address_retention;
  const std::int64_t erased = store::erase_old_addresses(connection, config.table_prefix, before);
  std::printf("erased %lld addresses of votes older than %lld days\n",
              static_cast<long long>(erased),
              static_cast<long long>(settings.address_retention.count()));
  return 0;
}

}  // namespace admin
