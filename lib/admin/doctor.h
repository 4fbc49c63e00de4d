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

[[nodiscard]] bool has_failed(const std::vector<cms::Finding>& report);

// Prints what examine() finds, a line for each finding. Returns 0, or 1 if anything failed.
int inspect(const config::Config& config);

// The same of the web server, which is asked for this service. Returns what it prints.
std::vector<cms::Finding> check_service(const config::Config& config);

// ratingctl doctor: prints all findings, also whether the workers have read the configuration as it
// is and whether the web server reaches them. Returns 0, or 1 if anything failed.
int doctor(const config::Config& config);

}  // namespace admin
