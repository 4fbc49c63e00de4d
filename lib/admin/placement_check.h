#pragma once

#include <map>
#include <string>
#include <vector>

#include "cms/cms.h"
#include "cms/findings.h"
#include "model/rating.h"
#include "model/settings.h"

namespace admin {

// Reports settings that cause visitors' votes to fail even though the CMS displays the ratings. The
// plugin reports the same settings on its own pages (contradictions.php). Only the plugin knows the
// effects of the site's PHP filters. "templates" maps the slug of each template to its category.
// "may_register" is true if visitors can register as users.
void check_placement(const std::vector<cms::PlacedRating>& placed, bool may_register,
                     const model::Settings& settings,
                     const std::map<std::string, model::Category>& templates,
                     cms::Findings& findings);

}  // namespace admin
