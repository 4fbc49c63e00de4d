#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "setup/site.h"
#include "setup/step.h"

namespace setup {

[[nodiscard]] bool has_systemd();

// Writes the units of a site with a name to /etc/systemd/system, and makes the system account of
// its workers; for the site without one, whose units are the package's, nothing. "prefix" is where
// the programs are installed: "/usr".
[[nodiscard]] Step write_units(const Site& site, const std::string& prefix);

// Removes the units. The account stays, as system accounts do: it may own files.
[[nodiscard]] Step remove_units(const Site& site);

// The workers that an operator enabled beyond the two that every site has, in alphabetical order:
// "ratingd@3.service".
[[nodiscard]] std::vector<std::string> added_workers(const Site& site,
                                                     const std::filesystem::path& root = "/");

// Enables and starts socket, workers and the timer of the maintenance, and waits until the workers
// are ready. That timer is left alone if it is disabled although the workers are enabled. With
// "serves_all", this is also for the timer that makes tables for new sites of a network. If all of
// them run already and "has_new_files", the workers are replaced one after the other. Undone, what
// was not running is stopped, and what was not enabled is disabled. REQUIRES: has_systemd().
[[nodiscard]] Step start_units(const Site& site, bool has_new_files, bool serves_all = false);

// Replaces the running workers one after the other, and returns their units. An extra worker starts
// first and stops last: it shows whether new workers become ready, and takes the place of the one
// that restarts. SIGINT and SIGTERM are blocked during each restart. Errors: Error - no worker
// runs; the program was told to end; or the first one that did not become ready, with the end of
// its log. The workers after it were not touched. REQUIRES: has_systemd().
[[nodiscard]] std::vector<std::string> replace_workers(const Site& site);

// Stops and disables them, all workers included, also those that were added. Undone, they are
// enabled and started.
// REQUIRES: has_systemd().
[[nodiscard]] Step stop_units(const Site& site);

}  // namespace setup
