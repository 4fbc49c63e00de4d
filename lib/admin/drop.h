#pragma once

#include "admin/arguments.h"
#include "config/config.h"

namespace admin {

// ratingctl drop: removes the tables and views of ratingd, all that it stored, and nothing else.
// Without --confirm it only says what it would remove. Returns 0; 1 if the tables are newer than
// this program, which then does not know all of them.
int drop(const config::Config& config, const Flags& flags);

}  // namespace admin
