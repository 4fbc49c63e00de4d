#pragma once

#include "admin/words.h"
#include "config/config.h"

namespace admin {

// ratingctl grants [user@host [user@host]]: prints the statements that give the workers' account
// and ratingctl's what they need, for the database's administrator to run. Returns 0.
int print_grants(const config::Config& config, Words words);

}  // namespace admin
