#pragma once

#include "base/clock.h"
#include "cms/findings.h"
#include "config/config.h"

namespace admin {

// One finding for each ticket key of the secret file, with its age. Errors: as
// identity::read_ticket_keys() and identity::Tickets.
void check_ticket_keys(const config::Config& config, base::Time now, cms::Findings& findings);

}  // namespace admin
