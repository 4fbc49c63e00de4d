#include "wordpress/network.h"

#include <stdexcept>

#include "base/text.h"

namespace wordpress {
namespace {

std::string host_in(std::string_view domain) {
  // A colon in "domain" separates the host from the port, because "domain" is never an IPv6
  // address.
  return base::to_lower(domain.substr(0, domain.rfind(':')));
}

std::string without_end(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  return path;
}

// Checks the same conditions as WordPress's ms_site_check() (ms-load.php).
base::Message closed_because(std::uint64_t deleted, bool is_suspended) {
  constexpr std::uint64_t kNotActivated = 2;
  if (deleted == kNotActivated) return base::Message("This site has not been activated yet.");
  if (deleted != 0) return base::Message("This site is no longer available.");
  if (is_suspended) return base::Message("This site has been archived or suspended.");
  return {};
}

}  // namespace

std::vector<NetworkSite> sites_of_network(db::Connection& connection, const config::Config& first) {
  // A table name cannot be a parameter of a statement. The prefix in the table name was checked
  // when the options were read.
  std::vector<NetworkSite> sites =
      connection
          .query("SELECT blog_id, domain, path, deleted, archived = 1 OR spam = 1 FROM " +
                     first.base_prefix +
                     "blogs WHERE site_id = ?"
                     " ORDER BY archived = 1 OR spam = 1 OR deleted <> 0, blog_id LIMIT ?",
                 first.network.id, kMaxSitesOfNetwork)
          .all([](const db::Rows& row) {
            return NetworkSite{
                .blog_id = static_cast<unsigned>(row.unsigned_integer(1)),
                .host = host_in(row.text(2)),
                .path = without_end(row.text(3)),
                .closed = closed_because(row.unsigned_integer(4), row.unsigned_integer(5) != 0)};
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

ByAddress<std::size_t> addresses_of(const std::vector<NetworkSite>& sites) {
  ByAddress<std::size_t> indices;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    indices.try_emplace(sites[i].host + sites[i].path, i);
  }
  for (const NetworkSite& site : sites) {
    const std::string address = site.host + site.path;
    if (address.starts_with(kWww)) {
      indices.try_emplace(address.substr(kWww.size()), indices.at(address));
    }
  }
  return indices;
}

config::Config config_of(const config::Config& first, const NetworkSite& site) {
  config::Config config = first;
  if (site.blog_id == 1) return config;
  config.network.blog_id = site.blog_id;
  config.table_prefix = table_prefix_of(first, site.blog_id);
  config.home.clear();  // constants in wp-config.php; for other sites, they are options
  config.siteurl.clear();
  config.base_path = site.path + site.api_path;
  return config;
}

}  // namespace wordpress
