#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "base/metrics.h"
#include "base/shared_memory.h"
#include "config/config.h"

namespace admin {

// What the workers of the configured site have counted on this host, to be read only. Errors: a
// sentence that says why it cannot be seen.
[[nodiscard]] tl::expected<std::unique_ptr<const base::SharedMemory>, std::string> look_at_metrics(
    const config::Config& config);

}  // namespace admin
