#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "cms/cms.h"
#include "cms/findings.h"
#include "config/database.h"
#include "db/connection.h"

namespace checks {

// The checks of an installation that need neither root nor the secret: "ratingctl doctor" and GET
// /health have the same. All are read-only.

struct Installation {
  const config::Database& database;
  const std::string& table_prefix;
  const cms::Cms& cms;
};

// Whether the requests of many visitors came from one address, which is then a proxy's.
void check_proxies(const base::MetricsTable& table, cms::Findings& findings);

// Whether votes had the headers that distinguish browsers from programs.
void check_browsers(const base::MetricsTable& table, base::Time now, cms::Findings& findings);

// Whether the CMS's own programs bind their tickets to one request.
void check_ticket_use(const base::MetricsTable& table, base::Time now, cms::Findings& findings);

// The database as the session's account sees it, its tables, and what the CMS checks. "now" is this
// host's time. Blocks for about "time_limit": what was not checked by then is a warning.
void check_database(const Installation& installation, db::Connection& connection, base::Time now,
                    std::chrono::milliseconds time_limit, std::vector<cms::Finding>& report);

}  // namespace checks
