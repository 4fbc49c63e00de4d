#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "setup/site.h"
#include "setup/step.h"

namespace setup {

[[nodiscard]] bool has_systemd();

// Writes the systemd units for a named site to /etc/systemd/system and creates the system account
// for its workers. Does nothing for a site without a name, because such a site uses the package's
// units. "prefix" is the installation prefix of the programs, for example "/usr".
[[nodiscard]] Step write_units(const Site& site, const std::string& prefix);

// The account in the package's ratingd.socket. Only this account may connect to the workers.
inline constexpr std::string_view kPackagedAccount = "www-data";

// Returns the number of a system account, or nothing if the account does not exist.
[[nodiscard]] std::optional<uid_t> id_of_account(const std::string& account);

// Lets the system account "account" connect to the workers, instead of kPackagedAccount. Writes a
// drop-in file for the site's socket, and changes the owner of the existing socket. If "account" is
// kPackagedAccount or root, removes the drop-in file. Does nothing if the account does not exist,
// or if another drop-in file sets the socket's account.
[[nodiscard]] Step let_connect(const Site& site, const std::string& account,
                               const std::filesystem::path& root = "/");

// Removes the drop-in file written by let_connect().
[[nodiscard]] Step remove_let_connect(const Site& site, const std::filesystem::path& root = "/");

// Removes the units of a site. The system account remains, because it may own files.
[[nodiscard]] Step remove_units(const Site& site);

// Returns the additional workers that an operator has enabled, such as "ratingd@3.service", in
// alphabetical order. The result does not contain the two workers that every site has.
[[nodiscard]] std::vector<std::string> added_workers(const Site& site,
                                                     const std::filesystem::path& root = "/");

// Enables and starts the socket, the workers and the maintenance timer, and waits until the workers
// are ready. If the workers are already enabled and the timer is disabled, the timer remains
// disabled. If "serves_all" is true, also enables and starts the timer that creates tables for new
// sites in a multisite network. If all units are already running and "has_new_files" is true,
// replaces the workers one after the other. The undo function stops the units that were not running
// before, and disables the units that were not enabled before. The host must use systemd.
[[nodiscard]] Step start_units(const Site& site, bool has_new_files, bool serves_all = false);

// Replaces the running workers one after the other and returns their units. First starts an
// additional worker, to check that new workers become ready. While a worker restarts, the
// additional worker serves requests in its place. The additional worker stops after the last
// restart. SIGINT and SIGTERM are blocked during each restart. Throws setup::Error if no worker is
// running, or if the program receives SIGINT or SIGTERM. If a worker does not become ready, throws
// setup::Error with the end of the worker's log and does not restart the remaining workers. The
// host must use systemd.
[[nodiscard]] std::vector<std::string> replace_workers(const Site& site);

// Stops and disables the units of a site, including all additional workers. The undo function
// enables and starts the units. The host must use systemd.
[[nodiscard]] Step stop_units(const Site& site);

}  // namespace setup
