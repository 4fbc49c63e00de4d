#pragma once

#include <optional>
#include <vector>

#include "base/mutex.h"
#include "checks/checks.h"
#include "db/pool.h"

namespace checks {

// The findings of GET /health, of the worker's own account. Safe for concurrent use.
class HealthChecks {
 public:
  // All arguments must outlive it.
  HealthChecks(const Installation& installation, db::Pool& sessions,
               const base::MetricsTable& table, const base::Clock& clock);

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
  const base::MetricsTable& table_;
  const base::Clock& clock_;
  base::Mutex mutex_;
  std::optional<Report> latest_ GUARDED_BY(mutex_);
  bool is_checking_ GUARDED_BY(mutex_) = false;
};

}  // namespace checks
