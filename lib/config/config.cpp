#include "config/config.h"

#include <string>

#include "runtime/metrics.h"
#include "runtime/shared_memory.h"

namespace config {

std::filesystem::path segment_path(const Config& config, std::string_view layout) {
  if (!config.network.serves_all) return site_segment_path(config, layout);
  const Database& database = config.database;
  return config.runtime_dir /
         runtime::SharedMemory::name_of(
             {names_of_servers(database), database.name, config.base_prefix, "all sites", layout});
}

// If a worker pool serves a network, segment names omit the site's path, so a site keeps its
// segments when its path changes.
std::filesystem::path site_segment_path(const Config& config, std::string_view layout) {
  const Database& database = config.database;
  const std::string place = config.network.serves_all ? "site" : config.base_path;
  return config.runtime_dir /
         runtime::SharedMemory::name_of(
             {names_of_servers(database), database.name, config.table_prefix, place, layout});
}

std::filesystem::path metrics_segment_path(const Config& config) {
  static_assert(sizeof(runtime::MetricsTable) == 284288, "another layout needs another name");
  return segment_path(config, "metrics 3");
}

std::filesystem::path sites_segment_path(const Config& config) {
  static_assert(sizeof(runtime::SitesTable) == 25664, "another layout needs another name");
  return segment_path(config, "metrics of sites 1");
}

std::filesystem::path cache_segment_path(const Config& config, unsigned megabytes) {
  return segment_path(config, "caches 3, MiB: " + std::to_string(megabytes));
}

}  // namespace config
