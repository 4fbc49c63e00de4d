#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/config.h"

namespace config {

// What the operator gave for an option, unchecked.
struct GivenOption {
  std::string value;
  std::string where;       // "--threads", "RATINGD_THREADS", "ratingd.conf:3: threads"
  bool is_of_cms = false;  // read from wp-config.php
};

struct Option {
  const char* name;      // "db-host": flag --db-host, variable RATINGD_DB_HOST, entry db-host
  const char* argument;  // for help: what the value is
  const char* meaning;   // for help, with default and unit
  // Errors: Error - not allowed. nullptr: the value names a file to read further options from.
  void (*apply)(Config& config, const GivenOption& given);
  const char* constant = nullptr;   // what gives it in wp-config.php
  bool needed = false;              // wp-config.php has to give it if nothing else does
  bool only_compared = false;       // a worker starts also if wp-config.php computes it
  bool secret = false;              // no flag: all users could read it in the list of processes
  std::optional<CmsName> cms = {};  // the only CMS with this option; nothing: all
};

// In the order in which they must be applied.
[[nodiscard]] std::span<const Option> options();
// Those of them that belong to the adapter for WordPress.
[[nodiscard]] std::span<const Option> wordpress_options();

// The option "name", or nullptr.
[[nodiscard]] const Option* find_option(std::string_view name);

// Whether the API may have this base path: "/wp-json/ratingd/v1".
[[nodiscard]] bool is_base_path(std::string_view path);

// The environment variable of an option: "RATINGD_DB_HOST" for "db-host".
[[nodiscard]] std::string variable_of(std::string_view name);

// The ways to set an option, for messages: "--db-host or RATINGD_DB_HOST".
[[nodiscard]] std::string ways_to_give(const Option& option);

// The option with the most similar name, or an empty string.
[[nodiscard]] std::string similar_option(std::string_view name);

}  // namespace config
