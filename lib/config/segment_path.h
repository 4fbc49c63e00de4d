#pragma once

#include <filesystem>
#include <string_view>

#include "config/config.h"

namespace config {

// The path of a base::SharedMemory segment of the configured site. "layout" names its content and
// version: sites have different paths, and so do releases with different layouts.
[[nodiscard]] std::filesystem::path segment_path(const Config& config, std::string_view layout);

// The path of the segment with base::MetricsTable.
[[nodiscard]] std::filesystem::path metrics_segment_path(const Config& config);

// The path of the segment with the caches of totals and of voters' own ratings, "megabytes" large.
// When no worker runs, segments of all sizes may be deleted.
[[nodiscard]] std::filesystem::path cache_segment_path(const Config& config, unsigned megabytes);

}  // namespace config
