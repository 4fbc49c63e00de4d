#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "setup/site.h"
#include "setup/step.h"

namespace setup {

[[nodiscard]] bool has_systemd();

// Writes the units for a named site to /etc/systemd/system and creates the system account for its
// workers. Does nothing for the site without a name, which uses the package's units. "prefix" is
// where the programs are installed, for example "/usr".
[[nodiscard]] Step write_units(const Site& site, const std::string& prefix);

// Removes the units. The system account stays, because it may own files.
[[nodiscard]] Step remove_units(const Site& site);

// Returns the workers that an operator enabled in addition to the two workers that every site has,
// in alphabetical order, for example "ratingd@3.service".
[[nodiscard]] std::vector<std::string> added_workers(const Site& site,
                                                     const std::filesystem::path& root = "/");

// Enables and starts the socket, the workers and the maintenance timer, and waits until the workers
// are ready. If the workers are enabled and the timer is disabled, the timer stays disabled. If
// "serves_all" is true, also handles the timer that creates tables for new sites in a network. If
// all units are already running and "has_new_files" is true, replaces the workers one after the
// other. Undo stops the units that were not running before, and disables the units that were not
// enabled before.
// REQUIRES: has_systemd().
[[nodiscard]] Step start_units(const Site& site, bool has_new_files, bool serves_all = false);

// Replaces the running workers one after the other and returns their units. An additional worker
// starts first and stops last. It shows whether new workers become ready, and it takes the place of
// each worker while that worker restarts. SIGINT and SIGTERM are blocked during each restart.
// Errors: Error if no worker runs, if the program was told to end, or if a worker does not become
// ready. In this case, the error contains the end of the worker's log, and the workers after it
// have not been restarted.
// REQUIRES: has_systemd().
[[nodiscard]] std::vector<std::string> replace_workers(const Site& site);

// Stops and disables the units, including all workers that were added. Undo enables and starts
// them. REQUIRES: has_systemd().
[[nodiscard]] Step stop_units(const Site& site);

}  // namespace setup
