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

// The adapter that the option "cms" names. The only place that knows all adapters. "config" must
// outlive it.
[[nodiscard]] std::unique_ptr<cms::Cms> make_cms(const config::Config& config);

// The sites of the configured network, and the configuration of one of them. "first" is that of the
// first site. Errors: as wordpress/network.h.
using wordpress::addresses_of;
using wordpress::ByAddress;
using wordpress::find_at;
using wordpress::NetworkSite;
[[nodiscard]] std::vector<NetworkSite> sites_of_network(db::Connection& connection,
                                                        const config::Config& first);
[[nodiscard]] config::Config config_of(const config::Config& first, const NetworkSite& site);

// For config::Sources: reads the configuration file of a CMS.
[[nodiscard]] config::GivenOptions read_cms_config(const config::GivenOption& file,
                                                   const config::GivenOptions& given,
                                                   std::vector<std::string>& not_read);

}  // namespace adapters
