#pragma once

#include <map>
#include <string>
#include <vector>

#include "cms/content.h"
#include "cms/findings.h"
#include "model/rating.h"
#include "model/settings.h"

namespace admin {

// Reports the settings by which visitors' votes fail on ratings that the CMS shows, as the plugin
// reports them on its own pages (contradictions.php). "templates" are the categories of all
// templates, by slug. "may_register" says whether visitors can get a login.
void check_placement(const std::vector<cms::PlacedRating>& placed, bool may_register,
                     const model::Settings& settings,
                     const std::map<std::string, model::Category>& templates,
                     cms::Findings& findings);

}  // namespace admin
