#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// --- Given options: given_options.cpp ------------------------------------------------------------

// The options of a source (flags, environment, a file) by name.
using GivenOptions = std::map<std::string, GivenOption, std::less<>>;

// Errors: Error - the option is given twice.
void add(GivenOptions& options, const std::string& name, GivenOption given);

// The content of the file that an option names. Errors: Error - it cannot be read, or is larger
// than 1 MiB; PermissionDenied.
[[nodiscard]] std::string read_file(const GivenOption& named);

// The same, of a file in other people's hands (base::open_foreign_file()).
[[nodiscard]] std::string read_foreign_file(const GivenOption& named);

// "ratingd.conf:3: ", the prefix of an error message.
[[nodiscard]] std::string at_line(const GivenOption& file, unsigned line);

// Reads values of options. Errors of all functions: Error - not allowed; the message says what is.

[[noreturn]] void refuse(const GivenOption& given, const std::string& allowed);
[[nodiscard]] unsigned number(const GivenOption& given, unsigned least, unsigned most);
[[nodiscard]] const std::string& not_empty(const GivenOption& given);
// PHP converts true and false to "1" and "".
[[nodiscard]] bool yes_or_no(const GivenOption& given);
// A URL without a slash at its end; may be empty.
[[nodiscard]] std::string address(const GivenOption& given);

// The parts of a list between separators.
[[nodiscard]] std::vector<std::string_view> parts_of(std::string_view list, char separator = ',');

}  // namespace config
