#pragma once

#include "admin/arguments.h"
#include "config/config.h"

namespace admin {

// ratingctl grants [user@host [user@host]] [--from NAME]: prints the statements that give the
// workers' account and ratingctl's what they need, or ratingctl's what an import from that plugin
// needs, for the database's administrator to run. Returns 0, or 2 for a name that is none of a
// plugin's.
int print_grants(const config::Config& config, Arguments arguments, const Flags& flags);

}  // namespace admin
