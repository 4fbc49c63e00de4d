#pragma once

#include <string>

#include "admin/arguments.h"
#include "config/config.h"
#include "imports/plugin.h"

namespace admin {

// ratingctl import --from NAME [--dry-run]: takes over what another rating plugin keeps in the
// CMS's database, and says what it cannot take over and why. Returns 0, 1 if the account cannot
// read the plugin's tables, or 2 for a name that is none of a plugin's.
int import_plugin(const config::Config& config, const Flags& flags);

// The plugin of that name; nullptr after it said on standard error which there are.
[[nodiscard]] const imports::Plugin* find_plugin(const std::string& name);

}  // namespace admin
