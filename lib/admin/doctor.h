#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "checks/checks.h"
#include "cms/findings.h"
#include "config/config.h"

namespace admin {

// The checks run by "ratingctl doctor" and "ratingctl setup".

// Checks all parts of an installation, such as the secret, the database and the settings. "config"
// is the workers' configuration. A check that cannot run counts as failed. Read-only. Blocks for at
// most a few seconds. Unless "part" is Part::site, the checks include this host's files and disks.
[[nodiscard]] std::vector<cms::Finding> examine(const config::Config& config,
                                                const base::Clock& clock,
                                                checks::Part part = checks::Part::all);

// Adds one finding for each ticket key in the secret file, with the key's age. Throws the same
// exceptions as identity::read_secret_file() and identity::Tickets.
void check_ticket_keys(const config::Config& config, base::Time now, cms::Findings& findings);

// Requests {base}/health from the web servers on this host, for the site at the address "home".
// Adds a finding that reports whether this site's workers or another program answered. Blocks for
// at most half a minute. Throws the same exceptions as identity::read_secrets().
void check_web_server(const config::Config& config, const std::string& home,
                      cms::Findings& findings);

[[nodiscard]] bool has_failed(const std::vector<cms::Finding>& report);

// findings_of_installation() returns the findings of all checks that do not send requests to the
// web server. The function findings_of_service() sends requests to the web server and returns the
// resulting findings. If the findings in "of_installation" show that the requests cannot succeed,
// findings_of_service() does not send any requests. Each function blocks for at most half a minute.
[[nodiscard]] std::vector<cms::Finding> findings_of_installation(
    const config::Config& config, checks::Part part = checks::Part::all);
[[nodiscard]] std::vector<cms::Finding> findings_of_service(
    const config::Config& config, const std::vector<cms::Finding>& of_installation);

// Prints a line for each finding in "report". "config" is the configuration of the examined site.
void print_report(const config::Config& config, const std::vector<cms::Finding>& report);

// Prints a line for each finding from examine(). Returns false if a check failed.
[[nodiscard]] bool is_well(const config::Config& config);

// Checks only whether the web server passes requests to ratingd. Prints the findings and returns
// them. Repeats a failed check until "patience" has elapsed, because a web server's old processes
// may still respond shortly after a reload.
std::vector<cms::Finding> check_service(const config::Config& config,
                                        std::chrono::seconds patience = std::chrono::seconds(0));

}  // namespace admin
