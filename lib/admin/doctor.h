#pragma once

#include <vector>

#include "base/clock.h"
#include "cms/findings.h"
#include "config/config.h"

namespace admin {

// Checks an installation with the workers' configuration, from the secret to the settings. A check
// that cannot run has failed. Read-only. Blocks for at most some seconds.
[[nodiscard]] std::vector<cms::Finding> examine(const config::Config& config,
                                                const base::Clock& clock);

// ratingctl doctor: prints what examine() finds, one line each. Returns 0, or 1 if anything failed.
int doctor(const config::Config& config);

}  // namespace admin
