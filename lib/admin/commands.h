#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/command_line.h"

namespace admin {

// Runs a command of ratingctl and writes its outcome to standard output, for a person. Returns the
// exit status: 0 done, 1 what was looked for is not well, 2 the words make no sense.
// Errors: exceptions with a sentence for the operator.
int run_command(const config::Config& config, const std::vector<std::string>& arguments,
                const config::CommandFlags& flags = {});

// The default configuration file for a command line, for config::read():
// /etc/ratingd/ratingctl.conf, or the workers' file for commands about them. Empty for init-secret,
// which runs before these files are complete, and for unknown commands. With --site, the files of
// that site, also for init-secret. Errors: config::Error - no site can have this name.
[[nodiscard]] config::DefaultFile default_file(const std::vector<std::string>& arguments,
                                               const config::CommandFlags& flags);

// Whether a command reads the configuration itself: setup, which writes it.
[[nodiscard]] bool reads_itself(const std::vector<std::string>& arguments);

// The same, for the help.
[[nodiscard]] const char* default_file_help();

// The flags of all commands.
[[nodiscard]] std::span<const config::CommandFlag> command_flags();

// The commands and their descriptions, as lines for a terminal.
[[nodiscard]] std::string command_help();

}  // namespace admin
