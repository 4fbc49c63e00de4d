#include "admin/doctor.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "adapters/adapters.h"
#include "admin/doctor_ticket_keys.h"
#include "admin/shared_metrics.h"
#include "base/bytes.h"
#include "checks/checks.h"
#include "db/endpoint.h"
#include "identity/secrets.h"
#include "setup/plugin.h"

namespace admin {
namespace {

using cms::Finding;
using cms::Findings;
using cms::Health;
using cms::run_check;

constexpr std::chrono::seconds kMaxWait{5};
constexpr std::chrono::seconds kTimeLimit{15};

void check_secret(const config::Config& config, Findings& findings) {
  const std::string file = config.secret_file.string();
  static_cast<void>(identity::read_secrets(config.secret_file));  // throws if it is invalid
  struct stat status {};
  stat(file.c_str(), &status);  // cannot fail: it was just read
  if ((status.st_mode & 07777U & ~0640U) != 0) {
    findings.fail(file +
                  " is accessible to other accounts than its owner and its group's readers; run: " +
                  "chmod 0640 " + file);
  } else if (status.st_uid != 0 && status.st_uid != geteuid()) {
    findings.warn(file + " belongs to another account, which may change it; run: chown root " +
                  file);
  } else {
    findings.ok(file);
  }
}

// Shows what the workers of this host have seen.
template <typename Check>
void check_workers(const config::Config& config, Findings& findings, const Check& check) {
  const auto memory = open_metrics(config);
  if (!memory) return findings.ok("not known: " + memory.error());
  check((*memory)->as<base::MetricsTable>());
}

}  // namespace

std::vector<Finding> examine(const config::Config& config, const base::Clock& clock) {
  std::vector<Finding> report;
  const bool has_secret =
      run_check("secret", report, [&](Findings& findings) { check_secret(config, findings); });
  run_check("ticket keys", report, [&](Findings& findings) {
    if (has_secret) check_ticket_keys(config, clock.now(), findings);
  });
  setup::check_plugin(config, report);
  run_check("proxies", report, [&](Findings& findings) {
    check_workers(config, findings,
                  [&](const auto& table) { checks::check_proxies(table, findings); });
  });
  run_check("browsers", report, [&](Findings& findings) {
    check_workers(config, findings,
                  [&](const auto& table) { checks::check_browsers(table, clock.now(), findings); });
  });
  run_check("ticket use", report, [&](Findings& findings) {
    check_workers(config, findings, [&](const auto& table) {
      checks::check_ticket_use(table, clock.now(), findings);
    });
  });
  std::optional<db::Connection> connection;
  run_check("database", report, [&](Findings& findings) {
    connection.emplace(db::endpoint_of(config.database, kMaxWait));
    findings.ok(config.database.name + ", as " + config.database.user);
  });
  if (!connection) return report;

  const auto cms = adapters::make_cms(config);
  checks::check_database({config, *cms}, *connection, clock.now(), kTimeLimit, report);
  return report;
}

int doctor(const config::Config& config) {
  bool failed = false;
  for (const Finding& finding : examine(config, base::SystemClock())) {
    fmt::print("{:<4}  {:<13}  {}\n", name_of(finding.health), finding.subject,
               base::printable(finding.text));
    failed = failed || finding.health == Health::fail;
  }
  return failed ? 1 : 0;
}

}  // namespace admin
