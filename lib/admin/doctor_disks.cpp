#include "admin/doctor_disks.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "admin/shared_metrics.h"
#include "base/shell.h"
#include "base/workers.h"
#include "setup/site.h"
#include "store/inspection.h"

namespace admin {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kLittle = 1024 * kMiB;  // and less than a part of the disk:
constexpr std::uint64_t kLittlePart = 20;

// A Unix socket or a loopback address.
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
    folders.push_back(store::data_folder(*connection));
  }
  return folders;
}

// Space for programs that are not root's. A folder that is not there is no finding.
void check_folder(const std::string& folder, std::string& enough, cms::Findings& findings) {
  struct statvfs disk {};
  if (statvfs(folder.c_str(), &disk) != 0 || disk.f_blocks == 0) return;
  if (disk.f_files != 0 && disk.f_favail == 0) {  // 0: the file system has no limit
    return findings.fail("the disk of " + folder + " has room for no further file; remove some " +
                         "(run: df --inodes " + base::shell_quoted(folder) + ")");
  }
  const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  const std::uint64_t all = std::uint64_t{disk.f_blocks} * disk.f_frsize;
  const std::string what = "the disk of " + folder + " has " + std::to_string(free / kMiB) +
                           " MiB left; make room (run: df " + base::shell_quoted(folder) + ")";
  if (free < kMiB) return findings.fail(what);
  if (free < std::min(kLittle, all / kLittlePart)) return findings.warn(what);
  enough += (enough.empty() ? "" : ", ") + folder;
}

bool was_refused(const config::Config& config) {
  const auto memory = open_metrics(config);
  if (!memory) return false;
  const auto workers = base::Workers(**memory, (*memory)->as<base::MetricsTable>()).all();
  return std::ranges::any_of(
      workers, [](const auto& worker) { return worker.at(base::Gauge::disk_full) != 0; });
}

}  // namespace

void check_disks(const config::Config& config, db::Connection* connection,
                 cms::Findings& findings) {
  if (was_refused(config)) {
    findings.fail(
        std::string("the database had no room for the latest votes, which were answered with 503; "
                    "make room on its host"));
  }
  std::string enough;
  for (const std::string& folder : folders_of(config, connection)) {
    check_folder(folder, enough, findings);
  }
  if (!enough.empty()) findings.ok("space for " + enough);
}

}  // namespace admin
