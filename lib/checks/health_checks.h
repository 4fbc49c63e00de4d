#pragma once

#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "checks/checks.h"
#include "cms/findings.h"
#include "db/pool.h"
#include "runtime/metrics.h"

namespace checks {

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
  // callers receive the previous findings, which may be older, or nothing if there are none yet,
  // because waiting callers could use up the worker's threads.
  [[nodiscard]] std::optional<std::vector<cms::Finding>> findings(bool database_answers);

 private:
  struct Report {
    std::vector<cms::Finding> findings;
    base::Time made_at;
  };

  // Returns true if there is no recent report and no other caller is running the checks. After
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
