#pragma once

#include "cms/findings.h"
#include "config/config.h"
#include "db/connection.h"

namespace admin {

// The space on the disks of this host that ratingd, nginx, the log and the database write to, and
// whether workers were refused for want of it. "connection" is nullptr if the database is
// unavailable.
void check_disks(const config::Config& config, db::Connection* connection, cms::Findings& findings);

}  // namespace admin
