#pragma once

#include "admin/words.h"
#include "config/config.h"

namespace admin {

// ratingctl maintain: what is to be done each night. Erases the addresses of votes that are older
// than the setting address_retention_days, and turns votes older than retention_months into sums.
// Returns 0.
//
// ratingctl maintain --orphans: instead counts the ratings of posts and comments that the CMS has
// no more; --orphans=remove removes them, while the service runs. Returns 0, or 2 for another word.
int maintain(const config::Config& config, const Flags& flags);

}  // namespace admin
