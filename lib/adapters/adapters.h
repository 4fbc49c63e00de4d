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

// Returns the adapter for the CMS in the option "cms". All adapters are created by this function.
// "config" must outlive the adapter.
[[nodiscard]] std::unique_ptr<cms::Cms> make_cms(const config::Config& config);

// The function sites_of_network() returns the sites in the configured network. The function
// config_of() returns the configuration of the site "site". "first" is the configuration of the
// network's first site. The file wordpress/network.h lists the exceptions that these functions
// throw.
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
