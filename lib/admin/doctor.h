#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "config/config.h"

namespace admin {

enum class Health { ok, warn, fail };

// The result of one check.
struct Finding {
  Health health;
  std::string subject;  // a word or two
  std::string text;     // the state; if not ok, also how to fix it
};

// Checks an installation with the workers' configuration, from the secret to the settings. A check
// that cannot run has failed. Read-only. Blocks for at most some seconds.
[[nodiscard]] std::vector<Finding> examine(const config::Config& config, const base::Clock& clock);

// ratingctl doctor: prints what examine() finds, one line each. Returns 0, or 1 if anything failed.
int doctor(const config::Config& config);

}  // namespace admin
