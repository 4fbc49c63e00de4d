#pragma once

#include "admin/arguments.h"
#include "config/config.h"

namespace admin {

// ratingctl maintain: the nightly maintenance. Erases the addresses of votes that are older than
// the setting address_retention_days, and aggregates votes older than retention_months into sums.
// Returns 0.
//
// ratingctl maintain --orphans: instead counts the ratings of posts and comments that no longer
// exist in the CMS; --orphans=remove removes them, while the service runs. Returns 0, or 2 for
// another value.
int maintain(const config::Config& config, const Flags& flags);

}  // namespace admin
