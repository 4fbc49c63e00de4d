#pragma once

#include <filesystem>
#include <string_view>

#include "config/config.h"

namespace config {

// Where a segment of base::SharedMemory of the configured site is. "layout" says what is in it, in
// which version: sites differ in the name, and so do releases whose segments do.
[[nodiscard]] std::filesystem::path segment_path(const Config& config, std::string_view layout);

// Where the segment that holds base::MetricsTable is.
[[nodiscard]] std::filesystem::path metrics_segment_path(const Config& config);

}  // namespace config
