#include "admin/doctor.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "adapters/adapters.h"
#include "admin/doctor_disks.h"
#include "admin/doctor_ticket_keys.h"
#include "admin/doctor_web_server.h"
#include "admin/doctor_workers.h"
#include "admin/print_line.h"
#include "admin/shared_metrics.h"
#include "base/bytes.h"
#include "base/shell.h"
#include "checks/checks.h"
#include "config/checked_site.h"
#include "db/endpoint.h"
#include "identity/secrets.h"
#include "setup/plugin.h"

namespace admin {
namespace {

using cms::Finding;
using cms::Findings;
using cms::Health;
using cms::run_check;

constexpr std::chrono::seconds kWaitOfDoctor{5};
constexpr std::chrono::seconds kTimeOfDatabaseChecks{15};

void check_secret(const config::Config& config, Findings& findings) {
  const std::string file = config.secret_file.string();
  static_cast<void>(identity::read_secrets(config.secret_file));  // throws if it is invalid
  struct stat status {};
  stat(file.c_str(), &status);  // cannot fail: it was just read
  if ((status.st_mode & 07777U & ~0640U) != 0) {
    findings.fail(file +
                  " is accessible to other accounts than its owner and its group's readers; run: " +
                  "chmod 0640 " + base::shell_quoted(file));
  } else if (status.st_uid != 0 && status.st_uid != geteuid()) {
    findings.warn(file + " belongs to another account, which may change it; run: chown root " +
                  base::shell_quoted(file));
  } else {
    findings.ok(file);
  }
}

// Setup of versions before 0.2.1 recorded nothing. Another record was refused before.
void check_record(const config::Config& config, Findings& findings) {
  std::error_code error;
  if (config.site_record.empty()) return;
  if (std::filesystem::exists(config.site_record, error)) {
    return findings.ok("as recorded in " + config.site_record.string());
  }
  findings.warn(
      "server, database and table prefix are what the CMS's configuration says at each start, and "
      "it was never checked that they are the site's; run: " +
      config::setup_command(config));
}

void print(const std::vector<Finding>& report) {
  for (const Finding& finding : report) {
    print_line(fmt::format("{:<4}  {:<13}  {}", name_of(finding.health), finding.subject,
                           base::printable(finding.message.text())));
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
      run_check({"secret"}, report, [&](Findings& findings) { check_secret(config, findings); });
  run_check({"site"}, report, [&](Findings& findings) { check_record(config, findings); });
  run_check({"ticket keys"}, report, [&](Findings& findings) {
    if (has_secret) check_ticket_keys(config, clock.now(), findings);
  });
  setup::check_plugin(config, report);
  run_check({"proxies"}, report, [&](Findings& findings) {
    check_workers(config, findings,
                  [&](const auto& table) { checks::check_proxies(table, findings); });
  });
  run_check({"browsers"}, report, [&](Findings& findings) {
    check_workers(config, findings,
                  [&](const auto& table) { checks::check_browsers(table, clock.now(), findings); });
  });
  run_check({"ticket use"}, report, [&](Findings& findings) {
    check_workers(config, findings, [&](const auto& table) {
      checks::check_ticket_use(table, clock.now(), findings);
    });
  });
  std::optional<db::Connection> connection;
  run_check({"database"}, report, [&](Findings& findings) {
    connection.emplace(db::endpoint_of(config.database, kWaitOfDoctor));
    findings.ok(config.database.name + ", as " + config.database.user);
  });
  run_check({"disks"}, report, [&](Findings& findings) {
    check_disks(config, connection ? &*connection : nullptr, findings);
  });
  if (!connection) return report;

  const auto cms = adapters::make_cms(config);
  checks::check_database({config, *cms}, *connection, clock.now(), kTimeOfDatabaseChecks, report);
  return report;
}

bool has_failed(const std::vector<Finding>& report) {
  return std::ranges::any_of(report,
                             [](const Finding& finding) { return finding.health == Health::fail; });
}

int inspect(const config::Config& config) {
  const auto report = examine(config, base::SystemClock());
  print(report);
  return has_failed(report) ? 1 : 0;
}

std::vector<Finding> check_service(const config::Config& config) {
  std::vector<Finding> report;
  run_check({"web server"}, report, [&](Findings& findings) {
    db::Connection connection(db::endpoint_of(config.database, kWaitOfDoctor));
    check_web_server(config, adapters::make_cms(config)->addresses(connection).home, findings);
  });
  print(report);
  return report;
}

int doctor(const config::Config& config) {
  auto report = examine(config, base::SystemClock());
  run_check({"workers"}, report, [&](Findings& findings) { check_workers_read(config, findings); });
  print(report);
  const auto failed = [&](std::string_view subject) {
    return std::ranges::any_of(report, [&](const Finding& finding) {
      return finding.health == Health::fail && finding.subject == subject;
    });
  };
  // The web server is asked for an address of the database, and for a proof of the secret.
  if (!failed("database") && !failed("secret")) {
    const auto of_service = check_service(config);
    report.insert(report.end(), of_service.begin(), of_service.end());
  }
  return has_failed(report) ? 1 : 0;
}

}  // namespace admin
