#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "checks/checks.h"
#include "cms/findings.h"
#include "config/config.h"

namespace admin {

// The checks in "ratingctl doctor", which setup also uses.

// Checks an installation with the workers' configuration, from the secret to the settings. A check
// that cannot run counts as failed. Read-only. Blocks for at most a few seconds. The part "server"
// includes the checks of this host.
[[nodiscard]] std::vector<cms::Finding> examine(const config::Config& config,
                                                const base::Clock& clock,
                                                checks::Part part = checks::Part::all);

// Adds one finding for each ticket key in the secret file, with the key's age. Errors: same as
// identity::read_secret_file() and identity::Tickets.
void check_ticket_keys(const config::Config& config, base::Time now, cms::Findings& findings);

// Requests {base}/health from the web servers on this host at the site's address "home". Adds a
// finding that says whether this site's workers answered, or what answered instead. Blocks for at
// most half a minute. Errors: same as identity::read_secrets().
void check_web_server(const config::Config& config, const std::string& home,
                      cms::Findings& findings);

[[nodiscard]] bool has_failed(const std::vector<cms::Finding>& report);

// findings_of_installation() returns the findings without requests to the web server.
// findings_of_service() sends these requests and returns their findings, unless "of_installation"
// shows that the requests cannot succeed. Each function blocks for at most half a minute.
[[nodiscard]] std::vector<cms::Finding> findings_of_installation(
    const config::Config& config, checks::Part part = checks::Part::all);
[[nodiscard]] std::vector<cms::Finding> findings_of_service(
    const config::Config& config, const std::vector<cms::Finding>& of_installation);

// Prints a line for each finding about the site with this configuration.
void print_report(const config::Config& config, const std::vector<cms::Finding>& report);

// Prints a line for each finding from examine(). Returns whether no check failed.
[[nodiscard]] bool is_well(const config::Config& config);

// Checks only whether the web server passes requests to this service. Prints the findings and
// returns them. If the check fails, retries for up to "patience" because a web server's old
// processes may still answer just after a reload.
std::vector<cms::Finding> check_service(const config::Config& config,
                                        std::chrono::seconds patience = std::chrono::seconds(0));

}  // namespace admin
