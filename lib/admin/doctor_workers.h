#pragma once

#include "cms/findings.h"
#include "config/config.h"

namespace admin {

// Whether the workers that run on this host have read the configuration and the secret as these
// files are now. Errors: as identity::fingerprint_of().
void check_workers_read(const config::Config& config, cms::Findings& findings);

}  // namespace admin
