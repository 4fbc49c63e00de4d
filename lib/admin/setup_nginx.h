#pragma once

#include <string>

#include "admin/setup_plan.h"
#include "setup/nginx_conf.h"

namespace admin {

// What nginx needs for a site, as steps of a setup or of its removal.

// Adds the files of a site with a name.
void add_nginx_files(SetupPlan& plan);

// Adds the lines that include them to the requested file; without one, a note says what to add.
// Errors: setup::Error - the file is not there, or has no server { } for the site.
void add_nginx_lines(SetupPlan& plan);

// The files of the site that nginx includes.
[[nodiscard]] setup::NginxIncludes includes_of(const setup::Site& site);

// What to do if nginx does not pass requests for "host" to the site's workers.
[[nodiscard]] std::string advice_for_nginx(const setup::Site& site, config::CmsName cms,
                                           const std::string& host);

// Removes these lines from all files that have them.
void remove_nginx_lines(SetupPlan& plan);

}  // namespace admin
