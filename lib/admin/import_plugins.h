#pragma once

#include <string>

#include "config/config.h"

namespace admin {

// ratingctl import --from NAME [--dry-run]: takes over what another rating plugin keeps in the
// CMS's database, and says what it cannot take over and why. Returns 0, 1 if the account cannot
// read the plugin's tables, or 2 for a name that is none of a plugin's.
int import_plugin(const config::Config& config, const std::string& name, bool is_dry_run);

// "ratepress, wp-postratings ...", for people.
[[nodiscard]] std::string plugin_names();

}  // namespace admin
