#include "config/config.h"

#include "base/joined.h"

namespace config {

std::string_view name_of(CmsName cms) { return cms == CmsName::none ? "none" : "wordpress"; }

std::optional<CmsName> cms_named(std::string_view name) {
  for (const CmsName cms : {CmsName::wordpress, CmsName::none}) {
    if (name == name_of(cms)) return cms;
  }
  return std::nullopt;
}

std::vector<DatabaseServer> servers_of(const Database& database) {
  std::vector<DatabaseServer> servers = {database.server};
  servers.insert(servers.end(), database.others.begin(), database.others.end());
  return servers;
}

std::string names_of_servers(const Database& database) {
  std::vector<std::string> names;
  for (const DatabaseServer& server : servers_of(database)) names.push_back(name_of(server));
  return base::joined(names, ",");
}

}  // namespace config
