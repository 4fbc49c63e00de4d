#include "config/segment_name.h"

#include "base/metrics.h"
#include "base/shared_memory.h"

namespace config {

std::string segment_name(const Config& config, std::string_view layout) {
  const Database& database = config.database;
  std::string servers;
  for (const DatabaseServer& server : servers_of(database)) {
    servers += (servers.empty() ? "" : ",") + name_of(server);
  }
  return base::SharedMemory::name_of(
      {servers, database.name, config.table_prefix, config.base_path, layout});
}

std::string metrics_segment_name(const Config& config) {
  static_assert(sizeof(base::MetricsTable) == 177280, "another layout needs another name");
  return segment_name(config, "metrics 1");
}

}  // namespace config
