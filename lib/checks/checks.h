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

// The checks of an installation that need neither root nor the secret. Both "ratingctl doctor" and
// GET /health run these checks. All checks are read-only.

// Selects all checks, or one of their two parts. The part "server" checks the database server and
// the database account, and has the same findings for all sites in a network.
enum class Part { all, server, site };

struct Installation {
  const config::Database& database;
  const cms::Cms& cms;
  Part part = Part::all;
};

// Checks the requests that the workers on this host have received. A check detects whether the
// requests of many visitors came from the same address, which is probably a proxy's address.
// Another check detects votes without the headers that distinguish browsers from programs. If the
// metrics are unavailable, "table" is nullptr, and "why_not" is the reason.
void check_traffic(const runtime::MetricsTable* table, const std::string& why_not, base::Time now,
                   std::vector<cms::Finding>& report);

// Checks the CMS, the database and its tables, with the permissions of the session's account.
// "now" is this host's time. Blocks for about "time_limit". Checks that have not run within the
// time limit become warnings.
void check_database(const Installation& installation, db::Connection& connection, base::Time now,
                    std::chrono::milliseconds time_limit, std::vector<cms::Finding>& report);

// Provides the findings for GET /health. The checks use the worker's own database account. Safe for
// concurrent use.
class HealthChecks {
 public:
  // All arguments must outlive this object.
  HealthChecks(const Installation& installation, db::Pool& sessions,
               const runtime::MetricsTable& table, const base::Clock& clock);

  // Returns findings that are at most 10 seconds old. If the database does not answer, returns a
  // finding for this failure and the findings of the checks that need no database. Blocks for at
  // most a few seconds. Only one caller at a time runs the checks. Other callers do not wait,
  // because a worker might run out of threads. The other callers receive the previous findings, or
  // nothing if there are no findings yet.
  [[nodiscard]] std::optional<std::vector<cms::Finding>> findings(bool database_answers);

 private:
  struct Report {
    std::vector<cms::Finding> findings;
    base::Time made_at;
  };

  // Returns whether the caller must run the checks and then call end(), because the latest report
  // is too old and no other caller is checking.
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
