#include "checks/health_checks.h"

#include <string>
#include <utility>

#include "store/inspection.h"

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
          Message("Check that the database runs and that its password has not changed.")};
}

// What the workers of this host have seen.
std::vector<Finding> of_workers(const base::MetricsTable& table, base::Time now) {
  std::vector<Finding> report;
  cms::run_check(
      {"proxies", Message("Visitors’ addresses behind a proxy"),
       Message("Many visitors seem to have one address, and so share its limits. If a "
               "proxy or CDN is in front of the site, configure the web server for it.")},
      report, [&](Findings& findings) { check_proxies(table, findings); });
  cms::run_check(
      {"browsers", Message("Votes without the signs of a browser"),
       Message("A proxy or CDN in front of the site seems to remove request headers. Let "
               "Origin and Sec-Fetch-Site through, or visitors of one network may count "
               "as one.")},
      report, [&](Findings& findings) { check_browsers(table, now, findings); });
  cms::run_check({"ticket use", Message("Tickets for more than one request"),
                  Message("The plugin is older than the service, or a program of this site makes "
                          "tickets as version 0.2 did. The next version rejects them. Run “sudo "
                          "ratingctl setup” on the server.")},
                 report, [&](Findings& findings) { check_ticket_use(table, now, findings); });
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
    Findings(database_subject(), report).fail(Message("no answer from the database"));
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
  const bool has_session = cms::run_check(database_subject(), report, [&](Findings& findings) {
    sessions_.with_session([&](db::Connection& connection) {
      // Throws if the session is dead, so that the pool opens another one.
      static_cast<void>(store::server_time(connection));
      of_database.clear();
      check_database(installation_, connection, clock_.now(), kTimeLimit, of_database);
    });
    const config::Database& database = installation_.database;
    findings.ok(Message("{name}, as {user}", {{"name", database.name}, {"user", database.user}}));
  });
  if (has_session) report.insert(report.end(), of_database.begin(), of_database.end());
}

}  // namespace checks
