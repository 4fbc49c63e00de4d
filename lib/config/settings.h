#pragma once

#include <map>
#include <string>

#include "config/options.h"

namespace config {

// What a source of settings (flags, environment, a file) gives, by name of the option.
using Settings = std::map<std::string, Setting, std::less<>>;

// Errors: Error - it is given already.
void add(Settings& settings, const std::string& name, Setting setting);

// The content of the file that a setting names. Errors: Error - it cannot be read, or is larger
// than 1 MiB; PermissionDenied.
[[nodiscard]] std::string read_file(const Setting& named);

// "ratingd.conf:3: ", where an error message begins.
[[nodiscard]] std::string at_line(const Setting& file, unsigned line);

}  // namespace config
