#pragma once

#include <filesystem>
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

// Whether a command reads the configuration itself: setup, which writes it, and reload, which
// works if it is wrong.
[[nodiscard]] bool reads_itself(const std::vector<std::string>& arguments);

// For a file that is missing because the site is not set up: the next command, as a line. Else "".
[[nodiscard]] std::string advice_for_missing(const std::filesystem::path& file);

// The flags of all commands, as their usages in the help have them.
[[nodiscard]] std::vector<config::CommandFlag> command_flags();

// The help of a command, in 24 lines of 80 columns; of all commands and options if "arguments" name
// none.
[[nodiscard]] std::string help(const std::vector<std::string>& arguments);

}  // namespace admin
