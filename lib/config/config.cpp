#include "config/config.h"

#include "base/address.h"

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

DatabaseTls tls_of(const DatabaseServer& server, std::optional<DatabaseTls> given) {
  if (given) return *given;
  const bool is_local = !server.socket.empty() || base::Address::parse(server.host).is_loopback();
  return is_local ? DatabaseTls::off : DatabaseTls::preferred;
}

std::string name_of(const DatabaseServer& server) {
  return server.socket.empty() ? server.host + ":" + std::to_string(server.port) : server.socket;
}

}  // namespace config
