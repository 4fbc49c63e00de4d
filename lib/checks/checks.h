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

// What the workers of this host have seen: whether the requests of many visitors came from one
// address, which is then a proxy's; whether votes had the headers that distinguish browsers from
// programs; whether the CMS's own programs bind their tickets to one request. "table" is nullptr if
// that is not known, for the reason "why_not".
void check_traffic(const base::MetricsTable* table, const std::string& why_not, base::Time now,
                   std::vector<cms::Finding>& report);

// The database as the session's account sees it, its tables, and what the CMS checks. "now" is this
// host's time. Blocks for about "time_limit": what was not checked by then is a warning.
void check_database(const Installation& installation, db::Connection& connection, base::Time now,
                    std::chrono::milliseconds time_limit, std::vector<cms::Finding>& report);

}  // namespace checks
