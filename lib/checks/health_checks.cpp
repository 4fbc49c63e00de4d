#include "checks/health_checks.h"

#include <chrono>
#include <utility>

#include "checks/inspection.h"

namespace checks {
namespace {

using base::Message;
using cms::Finding;
using cms::Findings;
using cms::Subject;

constexpr std::chrono::seconds kMaxAge{10};
constexpr std::chrono::seconds kTimeLimit{3};

Subject database_subject() {
  return {"database", Message("Database"),
          Message("Check that the database is running and that its password has not changed.")};
}

}  // namespace

HealthChecks::HealthChecks(const Installation& installation, db::Pool& sessions,
                           const runtime::MetricsTable& table, const base::Clock& clock)
    : installation_(installation), sessions_(sessions), table_(table), clock_(clock) {}

std::optional<std::vector<Finding>> HealthChecks::findings(bool database_answers) {
  const base::Time now = clock_.now();
  if (!database_answers) {
    std::vector<Finding> report;
    check_traffic(&table_, "", now, report);
    Findings(database_subject(), report).fail(Message("the database is not responding"));
    return report;
  }
  if (begin_unless_recent(now)) {
    std::vector<Finding> report;
    check_traffic(&table_, "", now, report);
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
  const bool has_session = cms::run_check(database_subject(), report, [&](Findings& findings) {
    sessions_.with_session([&](db::Connection& connection) {
      // Make the pool open a new session if this session is broken.
      static_cast<void>(server_time(connection));
      of_database.clear();
      check_database(installation_, connection, clock_.now(), kTimeLimit, of_database);
    });
    const config::Database& database = installation_.database;
    findings.ok(Message("connected to {name} as {user}",
                        {{"name", database.name}, {"user", database.user}}));
  });
  if (has_session) report.insert(report.end(), of_database.begin(), of_database.end());
}

}  // namespace checks
