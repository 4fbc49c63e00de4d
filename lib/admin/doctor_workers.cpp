#include "admin/doctor_workers.h"

#include <cstdint>
#include <string>

#include "admin/shared_metrics.h"
#include "base/workers.h"
#include "identity/fingerprint.h"
#include "setup/site.h"
#include "setup/units.h"

namespace admin {

using base::Gauge;

void check_workers_read(const config::Config& config, cms::Findings& findings) {
  const auto memory = open_metrics(config);
  if (!memory) return findings.ok("not known: " + memory.error());
  const auto workers = base::Workers(**memory, (*memory)->as<base::MetricsTable>()).all();
  const std::uint64_t now = identity::fingerprint_of(config);
  std::size_t behind = 0;
  for (const auto& worker : workers) {
    const std::uint64_t read = worker.at(Gauge::configuration);
    if (read != 0 && read != now) ++behind;  // 0: it has not said yet, or is of version 0.2.0
  }
  if (behind == 0) return findings.ok(std::to_string(workers.size()) + " run on this host");
  findings.warn(
      std::to_string(behind) + " of " + std::to_string(workers.size()) +
      " started before the latest change of the configuration, the keys of the CMS, the password "
      "or the secret; run: " +
      setup::reload_command(setup::site_in(config.runtime_dir)));
}

}  // namespace admin
