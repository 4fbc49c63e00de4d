#pragma once

#include "config/config.h"

namespace admin {

// ratingctl maintain: what is to be done each night. Erases the addresses of votes that are older
// than the setting address_retention_days, and turns votes older than retention_months into sums.
// Returns 0.
int maintain(const config::Config& config);

}  // namespace admin
