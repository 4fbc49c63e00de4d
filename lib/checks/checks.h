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

// Provides the findings for GET /health. The checks use the worker's own database account. Safe for
// concurrent use.
class HealthChecks {
 public:
  // All arguments must outlive this object.
  HealthChecks(const Installation& installation, db::Pool& sessions,
               const runtime::MetricsTable& table, const base::Clock& clock);

  // Returns findings that are at most 10 seconds old. If the database does not respond, returns a
  // finding that reports this failure, together with the findings of all checks that need no
  // database. Blocks for at most a few seconds. Only one caller at a time runs the checks. Other
  // callers receive the previous findings, or nothing if there are none yet, because waiting
  // callers could use up the worker's threads.
  [[nodiscard]] std::optional<std::vector<cms::Finding>> findings(bool database_answers);

 private:
  struct Report {
    std::vector<cms::Finding> findings;
    base::Time made_at;
  };

  // Returns true if the latest report is too old and no other caller is running the checks. After
  // begin_unless_recent() returns true, the caller must run the checks and call end().
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
