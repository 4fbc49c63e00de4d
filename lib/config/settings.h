#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"

namespace config {

// The settings of a source (flags, environment, a file), by the option's name.
using Settings = std::map<std::string, Setting, std::less<>>;

// Errors: Error - the setting exists already.
void add(Settings& settings, const std::string& name, Setting setting);

// The content of the file that a setting names. Errors: Error - it cannot be read, or is larger
// than 1 MiB; PermissionDenied.
[[nodiscard]] std::string read_file(const Setting& named);

// The same, of a file in other people's hands (base::open_foreign_file()).
[[nodiscard]] std::string read_foreign_file(const Setting& named);

// "ratingd.conf:3: ", the prefix of an error message.
[[nodiscard]] std::string at_line(const Setting& file, unsigned line);

// Reads values of options. Errors of all functions: Error - not allowed; the message says what is.

[[noreturn]] void refuse(const Setting& setting, const std::string& allowed);
[[nodiscard]] unsigned number(const Setting& setting, unsigned least, unsigned most);
[[nodiscard]] const std::string& not_empty(const Setting& setting);
// PHP converts true and false to "1" and "".
[[nodiscard]] bool yes_or_no(const Setting& setting);
// A URL without a slash at its end; may be empty.
[[nodiscard]] std::string address(const Setting& setting);

// The parts of a list between separators.
[[nodiscard]] std::vector<std::string_view> parts_of(std::string_view list, char separator = ',');

}  // namespace config
