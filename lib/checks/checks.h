#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "cms/cms.h"
#include "cms/findings.h"
#include "config/database.h"
#include "db/connection.h"
#include "db/pool.h"
#include "runtime/metrics.h"

namespace checks {

// The checks of an installation that need neither root nor the secret: "ratingctl doctor" and GET
// /health have the same. All are read-only.

struct Installation {
  const config::Database& database;
  const cms::Cms& cms;
};

// What the workers of this host have seen: whether the requests of many visitors came from one
// address, which is then a proxy's; whether votes had the headers that distinguish browsers from
// programs; whether the CMS's own programs bind their tickets to one request. "table" is nullptr if
// that is not known, for the reason "why_not".
void check_traffic(const runtime::MetricsTable* table, const std::string& why_not, base::Time now,
                   std::vector<cms::Finding>& report);

// The database as the session's account sees it, its tables, and what the CMS checks. "now" is this
// host's time. Blocks for about "time_limit": what was not checked by then is a warning.
void check_database(const Installation& installation, db::Connection& connection, base::Time now,
                    std::chrono::milliseconds time_limit, std::vector<cms::Finding>& report);

// The findings of GET /health, of the worker's own account. Safe for concurrent use.
class HealthChecks {
 public:
  // All arguments must outlive it.
  HealthChecks(const Installation& installation, db::Pool& sessions,
               const runtime::MetricsTable& table, const base::Clock& clock);

  // What the checks found, at most 10 seconds ago. If the database does not answer, that and what
  // needs no database. Blocks for some seconds. Only one caller checks at a time: others get the
  // findings before, which may be older, or nothing if there are none yet. If all waited, a worker
  // would have no threads left.
  [[nodiscard]] std::optional<std::vector<cms::Finding>> findings(bool database_answers);

 private:
  struct Report {
    std::vector<cms::Finding> findings;
    base::Time made_at;
  };

  // Whether the caller has to check now and then call end(): the latest report is too old, and
  // nobody else is checking.
  [[nodiscard]] bool begin_unless_recent(base::Time now);
  void end(Report report);
  void check_with_session(std::vector<cms::Finding>& report);

  const Installation installation_;
  db::Pool& sessions_;
  const runtime::MetricsTable& table_;
  const base::Clock& clock_;
  base::Mutex mutex_;
  std::optional<Report> latest_ GUARDED_BY(mutex_);
  bool is_checking_ GUARDED_BY(mutex_) = false;
};

}  // namespace checks
