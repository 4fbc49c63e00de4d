#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cms/cms.h"
#include "cms/findings.h"
#include "config/database.h"
#include "db/connection.h"
#include "runtime/metrics.h"

namespace checks {

// Checks of an installation that need neither root privileges nor the secret file. Both "ratingctl
// doctor" and GET /health run these checks. All checks are read-only.

// Selects which checks run: all checks, only the checks with Part::server, or only the checks with
// Part::site. The checks with Part::server examine the database server and the database account, so
// their findings are the same for all sites in a network.
enum class Part { all, server, site };

struct Installation {
  const config::Database& database;
  const cms::Cms& cms;
  Part part = Part::all;
};

// Checks the requests that the workers on this host have received. One check detects whether the
// requests of many visitors came from the same address, which is probably a proxy's address.
// Another check detects votes that lack the headers by which ratingd distinguishes browsers from
// programs. If the metrics are unavailable, "table" must be nullptr, and "why_not" must contain the
// reason.
void check_traffic(const runtime::MetricsTable* table, const std::string& why_not, base::Time now,
                   std::vector<cms::Finding>& report);

// Checks the CMS, the database and its tables, with the privileges of the session's account. "now"
// is this host's time. Does not start checks after "time_limit" has elapsed, and adds a warning for
// each check that was not started.
void check_database(const Installation& installation, db::Connection& connection, base::Time now,
                    std::chrono::milliseconds time_limit, std::vector<cms::Finding>& report);

}  // namespace checks
