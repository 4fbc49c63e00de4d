#pragma once

#include <string>
#include <vector>

#include "config/settings.h"

namespace wordpress {

// What the wp-config.php named by "file" gives of the options that are not in "given". Adds to
// "not_read" a sentence for each that the file computes and that matters. Errors: config::Error.
[[nodiscard]] config::Settings read_wp_config(const config::Setting& file,
                                              const config::Settings& given,
                                              std::vector<std::string>& not_read);

}  // namespace wordpress
