#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "base/metrics.h"
#include "base/shared_memory.h"
#include "config/config.h"

namespace admin {

// The metrics of the configured site's workers on this host, read-only. Errors: a sentence with the
// reason why they are unavailable.
[[nodiscard]] tl::expected<std::unique_ptr<const base::SharedMemory>, std::string> open_metrics(
    const config::Config& config);

}  // namespace admin
