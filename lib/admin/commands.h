#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/config.h"

namespace admin {

// Runs a command of ratingctl and writes its outcome to standard output, for a person. Returns the
// exit status: 0 done, 1 what was looked for is not well, 2 the words make no sense.
// Errors: exceptions with a sentence for the operator.
int run_command(const config::Config& config, const std::vector<std::string>& words,
                const config::CommandFlags& flags = {});

// The flags of all commands.
[[nodiscard]] std::span<const config::CommandFlag> command_flags();

// The commands and what each does, as lines for a terminal.
[[nodiscard]] std::string command_help();

}  // namespace admin
