#include <cstdint>
#include <string>
#include <utility>

#include "checks/checks.h"
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

constexpr std::chrono::days kRecent{1};

// Behind a proxy, requests name ever new visitors but come from the proxy's address, unless nginx's
// realip module restores the visitor's.
void check_proxies(const base::MetricsTable& table, base::Time, Findings& findings) {
  constexpr std::uint64_t kTooMany = 50;
  const auto visitors = base::clients_per_address(table);
  if (visitors < kTooMany) return findings.ok(Message("no single proxy seen"));
  findings.warn(Message(
      "the last {visitors} visitors that X-Forwarded-For or Forwarded name share one "
      "address and its limits; only if it is the address of your own proxy, configure nginx "
      "for it (docs/proxies.md)",
      {{"visitors", static_cast<std::int64_t>(visitors)}}));
}

// Browsers send one of two headers with each vote. If a proxy removes both, all visitors of a
// network look like one program.
void check_browsers(const base::MetricsTable& table, base::Time now, Findings& findings) {
  const auto voted_at = base::last_votes(table);
  const base::Time since = now - kRecent;
  if (voted_at.of_browser >= since)
    return findings.ok(Message("first votes show that browsers sent them"));
  if (voted_at.of_program < since)
    return findings.ok(Message("no vote of a new voter within the last day"));
  findings.warn(Message(
      "no vote of a new voter had a header Origin or Sec-Fetch-Site within the last day, as "
      "browsers send them: if a proxy or CDN removes them, let them through, since without "
      "them all new voters of a network count as one program (docs/proxies.md)"));
}

// Version 0.2 of the plugin does not.
void check_ticket_use(const base::MetricsTable& table, base::Time now, Findings& findings) {
  if (base::last_unbound_ticket(table) < now - kRecent) {
    return findings.ok(Message("none of the CMS's own that is valid for more than one request"));
  }
  findings.warn(
      Message("within the last day the CMS sent tickets that are valid for more than one request, "
              "which the next release rejects: its plugin is of version 0.2; run: ratingctl setup. "
              "A program of your own that makes such tickets must bind them (docs/headless.md, "
              "Bound tickets)"));
}

}  // namespace

void check_traffic(const base::MetricsTable* table, const std::string& why_not, base::Time now,
                   std::vector<cms::Finding>& report) {
  const auto run = [&](const Subject& subject, const auto& check) {
    cms::run_check(subject, report, [&](Findings& findings) {
      table == nullptr ? findings.ok("not known: " + why_not) : check(*table, now, findings);
    });
  };
  run({"proxies", Message("Visitors’ addresses behind a proxy"),
       Message("Many visitors seem to have one address, and so share its limits. If a "
               "proxy or CDN is in front of the site, configure the web server for it.")},
      check_proxies);
  run({"browsers", Message("Votes without the signs of a browser"),
       Message("A proxy or CDN in front of the site seems to remove request headers. Let "
               "Origin and Sec-Fetch-Site through, or visitors of one network may count "
               "as one.")},
      check_browsers);
  run({"ticket use", Message("Tickets for more than one request"),
       Message("The plugin is older than the service, or a program of this site makes "
               "tickets as version 0.2 did. The next version rejects them. Run “sudo "
               "ratingctl setup” on the server.")},
      check_ticket_use);
}

HealthChecks::HealthChecks(const Installation& installation, db::Pool& sessions,
                           const base::MetricsTable& table, const base::Clock& clock)
    : installation_(installation), sessions_(sessions), table_(table), clock_(clock) {}

std::optional<std::vector<Finding>> HealthChecks::findings(bool database_answers) {
  const base::Time now = clock_.now();
  if (!database_answers) {
    std::vector<Finding> report;
    check_traffic(&table_, "", now, report);
    Findings(database_subject(), report).fail(Message("no answer from the database"));
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
