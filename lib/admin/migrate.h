#pragma once

#include "config/config.h"

namespace admin {

// ratingctl migrate: applies the migrations that are missing, and notes the site's time zone when
// there is none yet. Returns 0.
int migrate(const config::Config& config);

}  // namespace admin
