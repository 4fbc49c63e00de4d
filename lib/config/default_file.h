#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/config.h"

namespace config {

// A file that a setting names exists, but this user may not read it.
class PermissionDenied : public Error {
 public:
  using Error::Error;
};

// The file to read where nothing names another one, by the words of the command line; empty: none.
using DefaultFile = std::string (*)(const std::vector<std::string>& words);

// As read() of config.h, for a program that finds its file by itself: "default_file" stands for the
// file of --config where neither flags nor environment give config, wp-config or db-name, each of
// which may mean another site, and where the file exists. Errors: Error; PermissionDenied.
[[nodiscard]] CommandLine read(int argc, const char* const* argv,
                               std::span<const CommandFlag> flags, DefaultFile default_file);

}  // namespace config
