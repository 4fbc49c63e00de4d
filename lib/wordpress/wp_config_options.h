#pragma once

#include <string>
#include <vector>

#include "config/options.h"

namespace wordpress {

// Returns the options that the wp-config.php "file" defines, except options that are in "given".
// For each relevant option that the file computes, adds a sentence to "not_read". The file may
// belong to a customer on the host (config::read_foreign_file()). Errors: config::Error. If
// required options are missing, the error is a ValueMissing, and its what() names all of them.
[[nodiscard]] config::GivenOptions read_wp_config(const config::GivenOption& file,
                                                  const config::GivenOptions& given,
                                                  std::vector<std::string>& not_read);

struct LiteralConfig {
  std::string text;                  // PHP lines, without "<?php"
  std::vector<std::string> missing;  // the options for which "text" contains the word VALUE
};

// Returns the lines for a wp-config.php with literal values that is equivalent to "file". The
// command "setup" uses these lines. Errors: config::Error.
[[nodiscard]] LiteralConfig literal_wp_config(const config::GivenOption& file);

}  // namespace wordpress
