#pragma once

#include <string>
#include <string_view>

#include "config/config.h"

namespace config {

// The name of a segment of base::SharedMemory for the configured site. "layout" says what is in it,
// in which version: sites differ in the name, and so do releases whose segments do.
[[nodiscard]] std::string segment_name(const Config& config, std::string_view layout);

// The name of the segment that holds base::MetricsTable.
[[nodiscard]] std::string metrics_segment_name(const Config& config);

}  // namespace config
