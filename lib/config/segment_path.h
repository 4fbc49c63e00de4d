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

}  // namespace config
