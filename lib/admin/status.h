#pragma once

#include "config/config.h"

namespace admin {

// ratingctl status: prints the state of the database in a few lines. Returns 0, or 1 when ratingd
// would not run on it.
int status(const config::Config& config);

}  // namespace admin
