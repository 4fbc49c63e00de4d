#include "wordpress/network.h"

#include <stdexcept>

#include "base/bytes.h"

namespace wordpress {
namespace {

std::string host_in(std::string_view domain) {
  return base::to_lower(domain.substr(0, domain.rfind(':')));  // a name, not an IPv6 address
}

std::string without_end(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

std::vector<NetworkSite> sites_of_network(db::Connection& connection, const config::Config& first) {
  // Names of tables cannot be parameters; this one was checked with the options.
  std::vector<NetworkSite> sites =
      connection
          .query("SELECT blog_id, domain, path FROM " + first.base_prefix +
                     "blogs WHERE site_id = ? AND archived = 0 AND spam = 0 AND deleted = 0"
                     " ORDER BY blog_id LIMIT ?",
                 first.network.id, kMaxSitesOfNetwork)
          .all([](const db::Rows& row) {
            return NetworkSite{static_cast<unsigned>(row.unsigned_integer(1)), host_in(row.text(2)),
                               without_end(row.text(3)), ""};
          });
  if (sites.empty() || sites.front().blog_id != 1 ||
      !first.base_path.starts_with(sites.front().path)) {
    throw std::runtime_error(
        "the first site of the network, with the id 1, is not there, or is at "
        "another path than base-path");
  }
  const std::string api_path = first.base_path.substr(sites.front().path.size());
  for (NetworkSite& site : sites) site.api_path = api_path;
  return sites;
}

config::Config config_of(const config::Config& first, const NetworkSite& site) {
  config::Config config = first;
  if (site.blog_id == 1) return config;
  config.network.blog_id = site.blog_id;
  config.table_prefix = table_prefix_of(first, site.blog_id);
  config.home.clear();  // constants of wp-config.php; those of other sites are options
  config.siteurl.clear();
  config.base_path = site.path + site.api_path;
  return config;
}

}  // namespace wordpress
