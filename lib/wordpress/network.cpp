#include "wordpress/network.h"

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

std::vector<NetworkSite> sites_of_network(db::Connection& connection,
                                          const config::WordPressSite& network) {
  // Names of tables cannot be parameters; this one was checked with the options.
  return connection
      .query("SELECT blog_id, domain, path FROM " + network.base_prefix +
                 "blogs WHERE site_id = ? AND archived = 0 AND spam = 0 AND deleted = 0"
                 " ORDER BY blog_id LIMIT ?",
             network.network.id, kMaxSitesOfNetwork)
      .all([](const db::Rows& row) {
        return NetworkSite{static_cast<unsigned>(row.unsigned_integer(1)), host_in(row.text(2)),
                           without_end(row.text(3))};
      });
}

config::Config config_of(const config::Config& network, std::string_view main,
                         const NetworkSite& site) {
  config::Config config = network;
  config.network.serves_all = false;
  config.network.blog_id = site.blog_id;
  config.table_prefix = table_prefix_of(network, site.blog_id);
  if (site.blog_id == 1) return config;
  config.home.clear();  // constants of wp-config.php; those of other sites are options
  config.siteurl.clear();
  config.base_path = site.path + network.base_path.substr(main.size());
  return config;
}

}  // namespace wordpress
