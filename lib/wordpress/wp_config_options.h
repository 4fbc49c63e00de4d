#pragma once

#include <string>
#include <vector>

#include "config/options.h"

namespace wordpress {

// Returns the options that the wp-config.php "file" defines, except options that are in "given".
// Adds a sentence to "not_read" for each relevant option with a computed value. The file may belong
// to a customer on the host (config::read_foreign_file()). Throws config::Error. If required
// options are missing, throws ValueMissing, whose what() function names all missing options.
[[nodiscard]] config::GivenOptions read_wp_config(const config::GivenOption& file,
                                                  const config::GivenOptions& given,
                                                  std::vector<std::string>& not_read);

struct LiteralConfig {
  std::string text;                  // PHP lines, without "<?php"
  std::vector<std::string> missing;  // the options for which "text" contains the word VALUE
};

// Returns the lines for a wp-config.php with literal values that is equivalent to "file". The
// command "setup" uses these lines. Throws config::Error.
[[nodiscard]] LiteralConfig literal_wp_config(const config::GivenOption& file);

}  // namespace wordpress
