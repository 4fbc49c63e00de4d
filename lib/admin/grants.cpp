#include "admin/grants.h"

#include <cstdio>

#include "adapters/adapters.h"
#include "admin/import_plugins.h"
#include "setup/accounts.h"
#include "setup/site.h"
#include "store/grants.h"

namespace admin {

int print_grants(const config::Config& config, Arguments arguments, const Flags& flags) {
  store::GrantNames names = store::grant_names(config, *adapters::make_cms(config));
  if (const auto site = flags.find("site"); site != flags.end()) {
    const config::Database& own = config.database;
    names = setup::account_names(setup::site_named(site->second), config,
                                 setup::host_of_accounts(config, own.user, own.password));
  }
  if (!arguments.empty()) names.workers = arguments[0];
  if (arguments.size() > 1) names.ratingctl = arguments[1];
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
