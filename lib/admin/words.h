#pragma once

#include <span>
#include <string>

namespace admin {

// What stands behind a command's name on the command line.
using Words = std::span<const std::string>;

}  // namespace admin
