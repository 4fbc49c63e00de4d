#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace config {

// An option's unchecked value, in the form in which the operator wrote it.
struct GivenOption {
  std::string value;
  std::string where;       // the place: "--threads", "RATINGD_THREADS", "ratingd.conf:3: threads"
  bool is_of_cms = false;  // the value comes from wp-config.php
};

struct Option {
  const char* name;      // "db-host" for the flag --db-host, RATINGD_DB_HOST and db-host in files
  const char* argument;  // the placeholder for the value in --help
  const char* meaning;   // the description in --help, with default and unit
  // Sets the option in Config. Errors: Error - the value is not allowed. If "apply" is nullptr, the
  // value names a file from which other options are read.
  void (*apply)(Config& config, const GivenOption& given);
  const char* constant = nullptr;   // the option's constant or variable in wp-config.php
  bool needed = false;              // wp-config.php must set it if no other source does
  bool only_compared = false;       // a worker starts even if wp-config.php computes it
  bool secret = false;              // cannot be a flag, because all users can read the process list
  std::optional<CmsName> cms = {};  // the only CMS with this option; empty for all
};

// Returns all options, in the order in which they must be applied.
[[nodiscard]] std::span<const Option> options();
// Returns the options that only the adapter for WordPress uses.
[[nodiscard]] std::span<const Option> wordpress_options();

// Returns the option "name", or nullptr if it does not exist.
[[nodiscard]] const Option* find_option(std::string_view name);

// Returns whether the API may have this base path, such as "/wp-json/ratingd/v1".
[[nodiscard]] bool is_base_path(std::string_view path);

// Returns the name of the environment variable for an option, such as "RATINGD_DB_HOST" for
// "db-host".
[[nodiscard]] std::string variable_of(std::string_view name);

// Returns the ways to set an option, in words for a message: "--db-host or RATINGD_DB_HOST".
[[nodiscard]] std::string ways_to_give(const Option& option);

// Returns the option with the most similar name, or an empty string if none is similar.
[[nodiscard]] std::string similar_option(std::string_view name);

// --- The options that are set: given_options.cpp
// ------------------------------------------------------------

// The options from one source (flags, environment, a file), by name.
using GivenOptions = std::map<std::string, GivenOption, std::less<>>;

// Adds an option. Errors: Error - the option is given twice.
void add(GivenOptions& options, const std::string& name, GivenOption given);

// Returns the content of the file that an option names. Errors: Error - the file cannot be read or
// is larger than 1 MiB; PermissionDenied.
[[nodiscard]] std::string read_file(const GivenOption& named);

// Does the same as read_file() for a file that another user can change (base::open_foreign_file()).
[[nodiscard]] std::string read_foreign_file(const GivenOption& named);

// Returns the prefix for an error message: "ratingd.conf:3: ".
[[nodiscard]] std::string at_line(const GivenOption& file, unsigned line);

// The functions below check and convert option values. Errors (all functions): Error - the value is
// not allowed. The message says which values are allowed.

[[noreturn]] void refuse(const GivenOption& given, const std::string& allowed);
[[nodiscard]] unsigned number(const GivenOption& given, unsigned least, unsigned most);
[[nodiscard]] const std::string& not_empty(const GivenOption& given);
// Also accepts "1" and "", because PHP converts true and false to these strings.
[[nodiscard]] bool yes_or_no(const GivenOption& given);
// Returns a URL without a slash at its end. The URL can be empty.
[[nodiscard]] std::string address(const GivenOption& given);

// Returns the parts of a list, trimmed.
[[nodiscard]] std::vector<std::string_view> parts_of(std::string_view list, char separator = ',');

}  // namespace config
