#pragma once

#include <span>
#include <string>

#include "config/command_line.h"

namespace admin {

// What stands behind a command's name on the command line.
using Words = std::span<const std::string>;

// The flags of its own that were given, by name.
using Flags = config::CommandFlags;

}  // namespace admin
