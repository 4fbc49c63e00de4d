#include "admin/grants.h"

#include <cstdio>

#include "store/grants.h"

namespace admin {

int print_grants(const config::Config& config, Words words) {
  store::GrantNames names = store::grant_names(config);
  if (!words.empty()) names.workers = words[0];
  if (words.size() > 1) names.ratingctl = words[1];
  std::fputs(store::grant_statements(names).c_str(), stdout);
  return 0;
}

}  // namespace admin
