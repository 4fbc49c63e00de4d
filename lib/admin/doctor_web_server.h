#pragma once

#include <string>

#include "cms/findings.h"
#include "config/config.h"

namespace admin {

// Asks the web servers of this host for {base}/health at the site's address "home", and says
// whether the workers of this site answered, or what came instead. Blocks for at most half a
// minute. Errors: as identity::read_secrets().
void check_web_server(const config::Config& config, const std::string& home,
                      cms::Findings& findings);

}  // namespace admin
