#pragma once

#include <string>
#include <vector>

#include "config/settings.h"

namespace wordpress {

// The options that the wp-config.php "file" defines and that are not in "given". Adds a sentence to
// "not_read" for each relevant option that the file computes. Errors: config::Error.
[[nodiscard]] config::Settings read_wp_config(const config::Setting& file,
                                              const config::Settings& given,
                                              std::vector<std::string>& not_read);

// The same for setup, which trusts nobody's file yet (config::read_foreign_file()).
[[nodiscard]] config::Settings read_foreign_wp_config(const config::Setting& file,
                                                      const config::Settings& given,
                                                      std::vector<std::string>& not_read);

}  // namespace wordpress
