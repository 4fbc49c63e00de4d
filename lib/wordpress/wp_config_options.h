#pragma once

#include <string>
#include <vector>

#include "config/options.h"

namespace wordpress {

// Reads the wp-config.php at the path in "file" and returns the options that it defines. Omits the
// options that are in "given". For each relevant option whose value only PHP can compute, adds a
// sentence to "not_read". The file may belong to an untrusted customer of a hosting provider
// (config::read_foreign_file()). Throws config::Error. If required options are missing, throws
// ValueMissing with a message that names all of them.
[[nodiscard]] config::GivenOptions read_wp_config(const config::GivenOption& file,
                                                  const config::GivenOptions& given,
                                                  std::vector<std::string>& not_read);

struct LiteralConfig {
  std::string text;                  // PHP lines, without "<?php"
  std::vector<std::string> missing;  // the options for which "text" contains the word VALUE
  bool has_includes = false;         // the file includes other files, which may define constants
};

// Returns the lines of a wp-config.php that is equivalent to "file" but contains only literal
// values. If the file includes other files, the result has a line for each login key, because many
// sites store these keys in a file of their own. "ratingctl setup" shows these lines. Throws
// config::Error.
[[nodiscard]] LiteralConfig literal_wp_config(const config::GivenOption& file);

}  // namespace wordpress
