#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cms/cms.h"
#include "config/config.h"
#include "config/options.h"
#include "db/connection.h"
#include "wordpress/network.h"

namespace adapters {

// Creates the adapter for the CMS specified by the "cms" option. "config" must outlive the adapter.
[[nodiscard]] std::unique_ptr<cms::Cms> make_cms(const config::Config& config);

// sites_of_network() returns the sites in the configured network, and config_of() returns the
// configuration of "site". "first" is the configuration of the network's first site. The exceptions
// thrown by both functions are listed in wordpress/network.h.
using wordpress::addresses_of;
using wordpress::ByAddress;
using wordpress::find_at;
using wordpress::NetworkSite;
[[nodiscard]] std::vector<NetworkSite> sites_of_network(db::Connection& connection,
                                                        const config::Config& first);
[[nodiscard]] config::Config config_of(const config::Config& first, const NetworkSite& site);

// Reads a CMS's configuration file for config::Sources.
[[nodiscard]] config::GivenOptions read_cms_config(const config::GivenOption& file,
                                                   const config::GivenOptions& given,
                                                   std::vector<std::string>& not_read);

}  // namespace adapters
