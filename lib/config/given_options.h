#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"

namespace config {

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
