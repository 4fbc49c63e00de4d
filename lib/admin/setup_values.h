#pragma once

#include "admin/setup_plan.h"

namespace admin {

// For a wp-config.php with values that only PHP knows: writes all that ratingd reads of it to a
// file of the site, where the operator inserts the missing ones; plan.remaining says so. Errors: as
// wordpress::literal_wp_config(); setup::Error - values are missing in that file itself.
void leave_values_to_operator(SetupPlan& plan);

// That file.
[[nodiscard]] std::filesystem::path values_file(const setup::Site& site);

}  // namespace admin
