#pragma once

#include "config/config.h"

namespace admin {

// ratingctl status: prints the state and metrics of this host's workers, then the state of the
// database. Returns 0, or 1 if ratingd cannot run on it.
int status(const config::Config& config);

}  // namespace admin
