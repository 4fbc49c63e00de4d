#include "checks/health_checks.h"

#include <string>
#include <utility>

#include "config/config.h"
#include "store/inspection.h"

namespace checks {
namespace {

using cms::Finding;
using cms::Findings;

constexpr std::chrono::seconds kMaxAge{10};
constexpr std::chrono::seconds kTimeLimit{3};

// What the workers of this host have seen.
std::vector<Finding> of_workers(const base::MetricsTable& table, base::Time now) {
  std::vector<Finding> report;
  cms::run_check("proxies", report, [&](Findings& findings) { check_proxies(table, findings); });
  cms::run_check("browsers", report,
                 [&](Findings& findings) { check_browsers(table, now, findings); });
  cms::run_check("ticket use", report,
                 [&](Findings& findings) { check_ticket_use(table, now, findings); });
  return report;
}

}  // namespace

HealthChecks::HealthChecks(const Installation& installation, db::Pool& sessions,
                           const base::MetricsTable& table, const base::Clock& clock)
    : installation_(installation), sessions_(sessions), table_(table), clock_(clock) {}

std::optional<std::vector<Finding>> HealthChecks::findings(bool database_answers) {
  const base::Time now = clock_.now();
  if (!database_answers) {
    std::vector<Finding> report = of_workers(table_, now);
    Findings("database", report).fail("no answer from the database");
    return report;
  }
  if (begin_unless_recent(now)) {
    std::vector<Finding> report = of_workers(table_, now);
    check_with_session(report);
    end({.findings = std::move(report), .made_at = now});
  }
  const base::MutexLock lock(mutex_);
  if (!latest_) return std::nullopt;
  return latest_->findings;
}

bool HealthChecks::begin_unless_recent(base::Time now) {
  const base::MutexLock lock(mutex_);
  if (is_checking_ || (latest_ && now >= latest_->made_at && now - latest_->made_at < kMaxAge))
    return false;
  is_checking_ = true;
  return true;
}

void HealthChecks::end(Report report) {
  const base::MutexLock lock(mutex_);
  latest_ = std::move(report);
  is_checking_ = false;
}

void HealthChecks::check_with_session(std::vector<Finding>& report) {
  std::vector<Finding> of_database;
  const bool has_session = cms::run_check("database", report, [&](Findings& findings) {
    sessions_.with_session([&](db::Connection& connection) {
      // Throws if the session is dead, so that the pool opens another one.
      static_cast<void>(store::server_time(connection));
      of_database.clear();
      check_database(installation_, connection, clock_.now(), kTimeLimit, of_database);
    });
    const config::Database& database = installation_.config.database;
    findings.ok(database.name + ", as " + database.user);
  });
  if (has_session) report.insert(report.end(), of_database.begin(), of_database.end());
}

}  // namespace checks
