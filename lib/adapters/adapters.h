#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cms/cms.h"
#include "config/config.h"
#include "config/options.h"

namespace adapters {

// The adapter that the option "cms" names. The only place that knows all adapters. "config" must
// outlive it.
[[nodiscard]] std::unique_ptr<cms::Cms> make_cms(const config::Config& config);

// For config::Sources: reads the configuration file of a CMS.
[[nodiscard]] config::GivenOptions read_cms_config(const config::GivenOption& file,
                                                   const config::GivenOptions& given,
                                                   std::vector<std::string>& not_read);

}  // namespace adapters
