#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cms/findings.h"
#include "config/config.h"

namespace admin {

// What "ratingctl doctor" finds, for it and for setup.

// Checks an installation with the workers' configuration, from the secret to the settings. A check
// that cannot run has failed. Read-only. Blocks for at most some seconds.
[[nodiscard]] std::vector<cms::Finding> examine(const config::Config& config,
                                                const base::Clock& clock);

// One finding for each ticket key of the secret file, with its age. Errors: as
// identity::read_secret_file() and identity::Tickets.
void check_ticket_keys(const config::Config& config, base::Time now, cms::Findings& findings);

// Asks the web servers of this host for {base}/health at the site's address "home", and says
// whether the workers of this site answered, or what came instead. Blocks for at most half a
// minute. Errors: as identity::read_secrets().
void check_web_server(const config::Config& config, const std::string& home,
                      cms::Findings& findings);

[[nodiscard]] bool has_failed(const std::vector<cms::Finding>& report);

// What "ratingctl doctor" finds: first without, then with requests to the web server, which it does
// not send if "of_installation" says that they cannot succeed. Both block for at most half a
// minute.
[[nodiscard]] std::vector<cms::Finding> findings_of_installation(const config::Config& config);
[[nodiscard]] std::vector<cms::Finding> findings_of_service(
    const config::Config& config, const std::vector<cms::Finding>& of_installation);

// Prints a line for each finding of a site with this configuration.
void print_report(const config::Config& config, const std::vector<cms::Finding>& report);

// Prints what examine() finds, a line for each finding. Returns whether nothing failed.
[[nodiscard]] bool is_well(const config::Config& config);

// As is_well(), for the web server only: asks it for this service. Returns what it prints. While
// the check fails, repeats it for "patience": processes of a web server that was just reloaded may
// still answer as before.
std::vector<cms::Finding> check_service(const config::Config& config,
                                        std::chrono::seconds patience = std::chrono::seconds(0));

}  // namespace admin
