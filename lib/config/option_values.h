#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"

namespace config {

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
