#pragma once

#include <string>
#include <vector>

#include "setup/site.h"
#include "setup/step.h"

namespace setup {

// Whether systemd runs on this host.
[[nodiscard]] bool has_systemd();

// Writes the units of a site with a name to /etc/systemd/system; for the site without one, whose
// units are the package's, nothing. "prefix" is where the programs are installed: "/usr".
[[nodiscard]] Step write_units(const Site& site, const std::string& prefix);

// Removes them.
[[nodiscard]] Step remove_units(const Site& site);

// Enables and starts socket, workers and timer, and waits until the workers are ready. If they run
// already and "has_new_files", they are replaced one after the other. Undone, what was not running
// is stopped, and what was not enabled is disabled. REQUIRES: has_systemd().
[[nodiscard]] Step start_units(const Site& site, bool has_new_files);

// Stops and disables them, all workers included. Undone, they are enabled and started.
// REQUIRES: has_systemd().
[[nodiscard]] Step stop_units(const Site& site);

}  // namespace setup
