#include "admin/doctor.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "adapters/adapters.h"
#include "admin/commands.h"
#include "admin/network.h"
#include "admin/output.h"
#include "admin/placement_check.h"
#include "base/clock.h"
#include "base/message.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "checks/checks.h"
#include "checks/inspection.h"
#include "config/checked_site.h"
#include "config/command_line.h"
#include "config/config.h"
#include "db/endpoint.h"
#include "db/migrations.h"
#include "identity/secrets.h"
#include "identity/ticket.h"
#include "runtime/metrics.h"
#include "setup/plugin.h"
#include "setup/site.h"
#include "store/settings_store.h"
#include "store/template_store.h"
#include "templates/builtin_templates.h"

namespace admin {
namespace {

using checks::Part;
using cms::Finding;
using cms::Findings;
using cms::Health;
using cms::run_check;

constexpr std::chrono::seconds kWaitOfDoctor{5};
constexpr std::chrono::seconds kTimeOfDatabaseChecks{15};

void check_secret(const config::Config& config, Findings& findings) {
  const std::string file = config.secret_file.string();
  static_cast<void>(identity::read_secret_file(config.secret_file));  // throws if it is invalid
  struct stat status {};
  stat(file.c_str(), &status);  // this cannot fail because the file was just read
  if ((status.st_mode & 07777U & ~0640U) != 0) {
    findings.fail(file +
                  " can be used by more accounts than its owner and its group. Run: chmod 0640 " +
                  base::shell_quoted(file));
  } else if (status.st_uid != 0 && status.st_uid != geteuid()) {
    findings.warn(file + " belongs to another account, which can change it. Run: chown root " +
                  base::shell_quoted(file));
  } else {
    findings.ok(file);
  }
}

// Warns if the record of the verified database values is missing, for example because the site was
// set up before version 0.2.1. The recorded values do not need to be checked, because ratingctl
// refuses to run if they differ from the configuration.
void check_record(const config::Config& config, Findings& findings) {
  std::error_code error;
  if (config.site_record.empty()) return;
  if (std::filesystem::exists(config.site_record, error)) {
    return findings.ok("as recorded in " + config.site_record.string());
  }
  findings.warn(
      "setup has not checked that the database server, the database and the table prefix in the "
      "CMS's configuration belong to the site. Run: " +
      config::setup_command(config));
}

auto workers_in(const runtime::SharedMemory& memory) {
  return runtime::Workers(memory, memory.as<runtime::MetricsTable>()).all();
}

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kLittle = 1024 * kMiB;  // warn below this many bytes
constexpr std::uint64_t kLittlePart = 20;       // and below this fraction (1/20) of the disk

// Returns whether the database's address is a Unix socket or a loopback address on this host.
bool is_on_this_host(const config::Database& database, const std::string& name) {
  return std::ranges::any_of(config::servers_of(database), [&](const auto& server) {
    return config::name_of(server) == name &&
           config::tls_of(server, std::nullopt) == config::DatabaseTls::off;
  });
}

std::vector<std::string> folders_of(const config::Config& config, db::Connection* connection) {
  std::vector<std::string> folders = {config.runtime_dir.string(), "/var/log",
                                      setup::site_in(config.runtime_dir).nginx_cache.string()};
  if (connection != nullptr && is_on_this_host(config.database, connection->server())) {
    folders.push_back(checks::data_folder(*connection));
  }
  return folders;
}

// Checks how much disk space is available to programs that do not run as root. Does nothing if the
// folder does not exist.
void check_folder(const std::string& folder, std::vector<std::string>& enough, Findings& findings) {
  struct statvfs disk {};
  if (statvfs(folder.c_str(), &disk) != 0 || disk.f_blocks == 0) return;
  if (disk.f_files != 0 && disk.f_favail == 0) {  // 0 if the file system has no limit
    return findings.fail("the disk with " + folder +
                         " cannot store another file. Remove some files " + "(run: df --inodes " +
                         base::shell_quoted(folder) + ")");
  }
  const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  const std::uint64_t all = std::uint64_t{disk.f_blocks} * disk.f_frsize;
  const std::string what = "the disk with " + folder + " has " + std::to_string(free / kMiB) +
                           " MiB left. Free some space (run: df " + base::shell_quoted(folder) +
                           ")";
  if (free < kMiB) return findings.fail(what);
  if (free < std::min(kLittle, all / kLittlePart)) return findings.warn(what);
  enough.push_back(folder);
}

bool was_refused(const config::Config& config) {
  const auto memory = open_metrics(config);
  return memory && std::ranges::any_of(workers_in(**memory), [](const auto& worker) {
           return worker.at(runtime::Gauge::disk_full) != 0;
         });
}

// Checks the free space on the local disks used by ratingd, nginx, the log and the database. Also
// checks whether a full disk has prevented the database from storing the workers' latest votes.
// "connection" is nullptr if the database is unavailable.
void check_disks(const config::Config& config, db::Connection* connection, Findings& findings) {
  if (was_refused(config)) {
    findings.fail(
        std::string("the database had no disk space for the latest votes, which got 503 responses. "
                    "Free disk space on its host"));
  }
  std::vector<std::string> enough;
  for (const std::string& folder : folders_of(config, connection)) {
    check_folder(folder, enough, findings);
  }
  if (!enough.empty()) findings.ok("space for " + base::joined(enough));
}

// Returns true only if it is certain that no worker has run since the host started.
bool has_no_worker_run(const config::Config& config) {
  std::error_code error;
  return !std::filesystem::exists(config::metrics_segment_path(config), error) && !error;
}

// Checks whether the expected number of workers is running on this host, and whether every worker
// has read the current configuration and secret. Throws the same exceptions as
// config::configuration_hash_of().
void check_workers(const config::Config& config, Findings& findings) {
  const setup::Site site = setup::site_in(config.runtime_dir);
  const auto memory = open_metrics(config);
  if (!memory && !has_no_worker_run(config)) return findings.ok("not known: " + memory.error());
  const auto workers = memory ? workers_in(**memory) : std::vector<runtime::Workers::Shown>();
  if (workers.empty()) {
    return findings.fail("no worker runs on this host. Run: systemctl start " + site.unit +
                         ".target, then: systemctl status " + site.unit + "@1");
  }
  if (workers.size() < config.processes) {
    findings.warn(
        fmt::format("{} of {} workers run on this host (option processes). To see why, run: "
                    "systemctl status '{}@*'",
                    workers.size(), config.processes, site.unit));
  }
  const std::uint64_t now = config::configuration_hash_of(config);
  std::size_t behind = 0;
  for (const auto& worker : workers) {
    const std::uint64_t read = worker.at(runtime::Gauge::configuration);
    // A configuration hash of 0 means that the worker has not reported its hash yet or runs version
    // 0.2.0.
    if (read != 0 && read != now) ++behind;
  }
  if (behind == 0 && workers.size() < config.processes) return;
  if (behind == 0) return findings.ok(std::to_string(workers.size()) + " run on this host");
  findings.warn(std::to_string(behind) + " of " + std::to_string(workers.size()) +
                " workers started before the latest change of the configuration, the keys of the "
                "CMS, the password or the secret. Run: " +
                setup::command_for(site, "reload"));
}

// Checks whether all sites in the network have tables.
void check_sites(const config::Config& config, Findings& findings) {
  db::Connection connection = connect(config, kWaitOfDoctor);
  auto sites = sites_of(connection, config);
  const std::size_t all = sites.size();
  std::erase_if(sites, [](const SiteOfNetwork& site) { return site.has_tables; });
  if (sites.empty()) return findings.ok(base::counted(all, "site has", "sites have") + " tables");
  findings.warn(fmt::format(
      "{} of {} have no tables of ratingd, or the workers have no privileges on them: {}. Run: {}",
      sites.size(), base::counted(all, "site", "sites"),
      base::joined(sites, ", ",
                   [](const SiteOfNetwork& site) { return std::to_string(site.place.blog_id); }),
      command_of(config, "migrate --all-sites")));
}

using identity::TicketKey;

constexpr std::chrono::days kMaxAge{365};
// The `doctor` command reports key rotations that take longer than kMaxRotation.
constexpr std::chrono::days kMaxRotation{30};

void check_key(const TicketKey& key, const std::vector<TicketKey>& keys,
               const config::Config& config, base::Time now, Findings& findings) {
  const auto age = std::chrono::floor<std::chrono::days>(now - key.added);
  const std::string text = key.name + " (" + std::string(name_of(key.algorithm)) + "), added " +
                           base::to_rfc3339(key.added) + ", " +
                           base::counted(age.count(), "day", "days") + " ago";
  const bool is_replaced = std::ranges::any_of(keys, [&](const TicketKey& other) {
    return other.name == key.name && other.added > key.added && now - other.added > kMaxRotation;
  });
  if (is_replaced) {
    findings.warn(text +
                  ", was replaced more than 30 days ago and is still valid. Run: ratingctl "
                  "ticket-key remove " +
                  key.name + " --older --secret-file " +
                  base::shell_quoted(config.secret_file.string()));
  } else if (age > kMaxAge) {
    findings.warn(text + ". Rotate it once a year (docs/operations.md, Rotating a ticket key)");
  } else {
    findings.ok(text);
  }
}

std::map<std::string, model::Category> categories_of_templates(db::Connection& connection) {
  std::map<std::string, model::Category> categories;
  for (const auto& one : templates::builtins()) categories.emplace(one.slug, one.category);
  for (const auto& one : store::all_templates(connection)) {
    categories.emplace(one.slug, one.category);
  }
  return categories;
}

bool has_failed_at(std::string_view subject, const std::vector<Finding>& report) {
  return std::ranges::any_of(report, [&](const Finding& finding) {
    return finding.health == Health::fail && finding.subject == subject;
  });
}

// Checks ratingd's files on this host, and the request counters of this host's workers.
void examine_host(const config::Config& config, base::Time now, std::vector<Finding>& report) {
  const bool has_secret =
      run_check({"secret"}, report, [&](Findings& findings) { check_secret(config, findings); });
  run_check({"site"}, report, [&](Findings& findings) { check_record(config, findings); });
  run_check({"ticket keys"}, report, [&](Findings& findings) {
    if (has_secret) check_ticket_keys(config, now, findings);
  });
  setup::check_plugin(config, report);
  const auto seen = open_metrics(config);
  checks::check_traffic(seen ? &(*seen)->as<runtime::MetricsTable>() : nullptr,
                        seen ? "" : seen.error(), now, report);
}

}  // namespace

std::vector<Finding> examine(const config::Config& config, const base::Clock& clock, Part part) {
  std::vector<Finding> report;
  if (part != Part::site) examine_host(config, clock.now(), report);
  std::optional<db::Connection> connection;
  run_check({"database"}, report, [&](Findings& findings) {
    try {
      connection.emplace(db::endpoint_of(config, kWaitOfDoctor));
      findings.ok(config.database.name + ", as " + config.database.user);
    } catch (const db::Failure& failure) {
      const std::string advice = advice_for_database(failure);
      findings.fail(failure.what() + (advice.empty() ? "" : ". " + advice));
    }
  });
  if (part != Part::site) {
    run_check({"disks"}, report, [&](Findings& findings) {
      check_disks(config, connection ? &*connection : nullptr, findings);
    });
  }
  if (!connection) return report;

  const auto cms = adapters::make_cms(config);
  checks::check_database({config.database, *cms, part}, *connection, clock.now(),
                         kTimeOfDatabaseChecks, report);
  if (part != Part::server && db::can_run_on(db::schema_version(*connection))) {
    run_check({"placement"}, report, [&](Findings& findings) {
      check_placement(cms->placed_ratings(*connection), cms->may_register(*connection),
                      store::load_settings(*connection).settings,
                      categories_of_templates(*connection), findings);
    });
  }
  return report;
}

void check_ticket_keys(const config::Config& config, base::Time now, cms::Findings& findings) {
  const auto keys = identity::read_secret_file(config.secret_file).ticket_keys;
  static_cast<void>(identity::Tickets(keys));  // throws if a key is not valid
  for (const TicketKey& key : keys) check_key(key, keys, config, now, findings);
}

bool has_failed(const std::vector<Finding>& report) {
  return std::ranges::any_of(report,
                             [](const Finding& finding) { return finding.health == Health::fail; });
}

bool is_well(const config::Config& config) {
  const auto report = examine(config, base::SystemClock());
  print_report(config, report);
  return !has_failed(report);
}

std::vector<Finding> check_service(const config::Config& config, std::chrono::seconds patience) {
  constexpr std::chrono::milliseconds kPause{200};
  const base::Stopwatch stopwatch;
  std::vector<Finding> report = findings_of_service(config, {});
  while (has_failed(report) && stopwatch.elapsed() < patience) {
    std::this_thread::sleep_for(kPause);
    report = findings_of_service(config, {});
  }
  print_report(config, report);
  return report;
}

std::vector<Finding> findings_of_installation(const config::Config& config, Part part) {
  auto report = examine(config, base::SystemClock(), part);
  if (part == Part::site) return report;
  run_check({"workers"}, report, [&](Findings& findings) { check_workers(config, findings); });
  const config::Network& network = config.network;
  if (network.serves_all && network.blog_id == 1 && !has_failed_at("database", report)) {
    run_check({"network"}, report, [&](Findings& findings) { check_sites(config, findings); });
  }
  return report;
}

// The web requests need the secret and the site's address, which is stored in the database.
std::vector<Finding> findings_of_service(const config::Config& config,
                                         const std::vector<Finding>& of_installation) {
  std::vector<Finding> report;
  if (has_failed_at("database", of_installation) || has_failed_at("secret", of_installation)) {
    return report;
  }
  run_check({"web server"}, report, [&](Findings& findings) {
    db::Connection connection = connect(config, kWaitOfDoctor);
    check_web_server(config, adapters::make_cms(config)->addresses(connection).home, findings);
  });
  return report;
}

}  // namespace admin
