#pragma once

#include <vector>

#include "admin/doctor.h"

namespace admin {

// One finding for each ticket key of the secret file, with its age. Errors: as read_secrets() and
// Tickets.
[[nodiscard]] std::vector<Finding> examine_ticket_keys(const config::Config& config,
                                                       base::Time now);

}  // namespace admin
