#include "adapters/adapters.h"

#include "adapters/none.h"
#include "wordpress/wordpress.h"
#include "wordpress/wp_config_options.h"

namespace adapters {

std::unique_ptr<cms::Cms> make_cms(const config::Config& config) {
  switch (config.cms) {
    case config::CmsName::none:
      return std::make_unique<adapters::None>(config.standalone);
    case config::CmsName::wordpress:
      break;
  }
  return std::make_unique<wordpress::WordPress>(config);
}

std::vector<NetworkSite> sites_of_network(db::Connection& connection, const config::Config& first) {
  return wordpress::sites_of_network(connection, first);
}

config::Config config_of(const config::Config& first, const NetworkSite& site) {
  return wordpress::config_of(first, site);
}

config::GivenOptions read_cms_config(const config::GivenOption& file,
                                     const config::GivenOptions& given,
                                     std::vector<std::string>& not_read) {
  return wordpress::read_wp_config(file, given, not_read);
}

}  // namespace adapters
