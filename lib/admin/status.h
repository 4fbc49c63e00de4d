#pragma once

#include "config/config.h"

namespace admin {

// ratingctl status: prints how the workers of this host are and what they have counted, then the
// state of the database. Returns 0, or 1 when ratingd would not run on it.
int status(const config::Config& config);

}  // namespace admin
