#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace config {

// An option's unchecked value, exactly as the operator wrote it.
struct GivenOption {
  std::string value;
  std::string where;       // the place: "--threads", "RATINGD_THREADS", "ratingd.conf:3: threads"
  bool is_of_cms = false;  // the value comes from wp-config.php
};

struct Option {
  const char* name;      // "db-host" for the flag --db-host, RATINGD_DB_HOST and db-host in files
  const char* argument;  // the placeholder for the value in --help
  const char* meaning;   // the description in --help, with default and unit
  // Stores the option's value in "config". Throws Error if the value is not allowed. If "apply" is
  // nullptr, the option's value is the path of a file that contains options.
  void (*apply)(Config& config, const GivenOption& given);
  const char* constant = nullptr;   // the option's constant or variable in wp-config.php
  bool needed = false;              // wp-config.php must set it if no other source does
  bool only_compared = false;       // a worker starts even if wp-config.php computes it
  bool secret = false;              // cannot be a flag, because all users can read the process list
  std::optional<CmsName> cms = {};  // the only CMS with this option; empty for all
};

// Returns all options, in the order in which they must be applied.
[[nodiscard]] std::span<const Option> options();
// Returns the options used only by the WordPress adapter.
[[nodiscard]] std::span<const Option> wordpress_options();

// Returns the option with this name, or nullptr if the name is unknown.
[[nodiscard]] const Option* find_option(std::string_view name);

// Returns whether "path" is a valid base path for the API, such as "/wp-json/ratingd/v1".
[[nodiscard]] bool is_base_path(std::string_view path);

// Returns the name of the environment variable for an option, such as "RATINGD_DB_HOST" for
// "db-host".
[[nodiscard]] std::string variable_of(std::string_view name);

// Describes how to set an option, for use in a message, such as "--db-host or RATINGD_DB_HOST".
[[nodiscard]] std::string ways_to_give(const Option& option);

// Returns the option name that is most similar to "name", or an empty string if no option name is
// similar.
[[nodiscard]] std::string similar_option(std::string_view name);

// --- Options that the operator has set (given_options.cpp) ---------------------------------------

// The options from one source (flags, environment or a file). The map's keys are the option names.
using GivenOptions = std::map<std::string, GivenOption, std::less<>>;

// Adds an option. Throws Error if the option is set twice.
void add(GivenOptions& options, const std::string& name, GivenOption given);

// Returns the content of the file that an option names. Throws Error if the file cannot be read or
// is larger than 1 MiB, and PermissionDenied if the current user may not read it.
[[nodiscard]] std::string read_file(const GivenOption& named);

// Reads a file like read_file(), but is safe even if another user can change the file
// (base::open_foreign_file()).
[[nodiscard]] std::string read_foreign_file(const GivenOption& named);

// Returns the prefix for an error message, such as "ratingd.conf:3: ".
[[nodiscard]] std::string at_line(const GivenOption& file, unsigned line);

// The following functions check and convert option values. Each function throws Error if the value
// is not allowed. The error message names the allowed values.

[[noreturn]] void refuse(const GivenOption& given, const std::string& allowed);
[[nodiscard]] unsigned number(const GivenOption& given, unsigned least, unsigned most);
[[nodiscard]] const std::string& not_empty(const GivenOption& given);
// Returns true for "yes" and "1", and false for "no" and "". PHP converts true to "1" and false to
// "".
[[nodiscard]] bool yes_or_no(const GivenOption& given);
// Returns the URL without trailing slashes. An empty URL is allowed.
[[nodiscard]] std::string address(const GivenOption& given);

// Returns the trimmed items of a list.
[[nodiscard]] std::vector<std::string_view> parts_of(std::string_view list, char separator = ',');

}  // namespace config
