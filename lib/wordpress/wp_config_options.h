#pragma once

#include <string>
#include <vector>

#include "config/options.h"

namespace wordpress {

// The options that the wp-config.php "file" defines and that are not in "given". Adds a sentence to
// "not_read" for each relevant option that the file computes. The file may belong to a customer of
// the host (config::read_foreign_file()). Errors: config::Error; of these ValueMissing - required
// options are not there; what() names all of them.
[[nodiscard]] config::GivenOptions read_wp_config(const config::GivenOption& file,
                                                  const config::GivenOptions& given,
                                                  std::vector<std::string>& not_read);

struct LiteralConfig {
  std::string text;                  // lines of PHP, without "<?php"
  std::vector<std::string> missing;  // what has the word VALUE in place of a value
};

// The lines of a wp-config.php that says as literal values what "file" says, for setup.
// Errors: config::Error.
[[nodiscard]] LiteralConfig literal_wp_config(const config::GivenOption& file);

}  // namespace wordpress
