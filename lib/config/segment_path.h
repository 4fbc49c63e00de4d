#pragma once

#include <filesystem>
#include <string_view>

#include "config/config.h"

namespace config {

// The path of a runtime::SharedMemory segment of the configured pool of workers, which serves a
// site or a network. "layout" names its content and version: pools have different paths, and so do
// releases with different layouts.
[[nodiscard]] std::filesystem::path segment_path(const Config& config, std::string_view layout);

// As segment_path(), for the configured site alone. The same path if the pool serves only this
// site.
[[nodiscard]] std::filesystem::path site_segment_path(const Config& config,
                                                      std::string_view layout);

// The paths of the segments with base::MetricsTable and runtime::SitesTable.
[[nodiscard]] std::filesystem::path metrics_segment_path(const Config& config);
[[nodiscard]] std::filesystem::path sites_segment_path(const Config& config);

// The path of the segment with the caches of totals and of voters' own ratings, "megabytes" large.
// When no worker runs, segments of all sizes may be deleted.
[[nodiscard]] std::filesystem::path cache_segment_path(const Config& config, unsigned megabytes);

}  // namespace config
