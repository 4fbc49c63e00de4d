#pragma once

#include "config/config.h"

namespace admin {

// ratingctl verify: recomputes the rollups and lists the differences. Returns 0, or 1 if there are
// any.
int verify(const config::Config& config);

}  // namespace admin
