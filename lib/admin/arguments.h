#pragma once

#include <span>
#include <string>

#include "config/command_line.h"

namespace admin {

// The exit status for words that make no sense.
inline constexpr int kWrongArguments = 2;

// The positional arguments after a command's name.
using Arguments = std::span<const std::string>;

// The command's flags that were given, by name.
using Flags = config::CommandFlags;

}  // namespace admin
