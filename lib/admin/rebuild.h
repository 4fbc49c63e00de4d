#pragma once

#include "config/config.h"

namespace admin {

// ratingctl rebuild: makes all rollups anew from the votes, with days in the site's time zone as it
// is now, while the service runs. Goes on where an earlier run was interrupted. Returns 0.
int rebuild(const config::Config& config);

}  // namespace admin
