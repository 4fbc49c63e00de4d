#include "admin/grants.h"

#include <cstdio>

#include "admin/import_plugins.h"
#include "store/grants.h"

namespace admin {

int print_grants(const config::Config& config, Words words, const Flags& flags) {
  store::GrantNames names = store::grant_names(config);
  if (!words.empty()) names.workers = words[0];
  if (words.size() > 1) names.ratingctl = words[1];
  const auto from = flags.find("from");
  if (from == flags.end()) {
    std::fputs(store::grant_statements(names).c_str(), stdout);
    return 0;
  }
  const imports::Plugin* plugin = find_plugin(from->second);
  if (plugin == nullptr) return 2;
  std::fputs(imports::plugin_grants(names, *plugin).c_str(), stdout);
  return 0;
}

}  // namespace admin
