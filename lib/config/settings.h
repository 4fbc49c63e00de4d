#pragma once

#include <map>
#include <string>

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

}  // namespace config
