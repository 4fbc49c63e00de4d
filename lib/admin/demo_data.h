#pragma once

#include "admin/arguments.h"
#include "config/config.h"

namespace admin {

// ratingctl demo-data [--votes N] [--objects M] [--days D] [--seed S]: fills a site that has no
// votes with believable ones, and their rollups. Returns 0, or 2 for numbers that make no sense and
// for a site that has votes.
int make_demo_data(const config::Config& config, const Flags& flags);

}  // namespace admin
