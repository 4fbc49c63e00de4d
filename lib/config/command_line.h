#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/settings.h"

namespace config {

// An option that only some command of a program takes: a flag, which neither a file nor the
// environment gives.
struct CommandFlag {
  const char* name;               // "votes": --votes
  const char* argument;           // for help: what the value is
  const char* implied = nullptr;  // the value of the flag alone; another one needs "="
};
using CommandFlags = std::map<std::string, std::string>;  // by name, what was given

struct CommandLine {
  Config config;
  bool help = false;  // print help() and exit 0
  bool version = false;
  std::vector<std::string> words;  // what is not an option: the command of ratingctl
  CommandFlags flags;
};

// What a program reads beside the options that all of them have.
struct Sources {
  std::span<const CommandFlag> flags = {};  // of all commands

  // The file to read where nothing names another one, by the words of the command line; empty:
  // none. It stands for the file of --config where neither flags nor environment give config,
  // wp-config or db-name, each of which may mean another site, and where the file exists.
  std::string (*default_file)(const std::vector<std::string>& words) = nullptr;

  // Reads the CMS's own configuration, in the file of --wp-config: what it gives of the options
  // that are not in "given". A sentence for each that it computes goes to "not_read".
  Settings (*cms)(const Setting& file, const Settings& given,
                  std::vector<std::string>& not_read) = nullptr;
};

// Reads flags, then environment variables ("RATINGD_DB_HOST" for --db-host), then the file named by
// --config, then the wp-config.php named by --wp-config: the first that gives an option wins. With
// "help" or "version" nothing else is read. Errors: Error; PermissionDenied.
[[nodiscard]] CommandLine read(int argc, const char* const* argv, const Sources& sources);

// For programs and commands that use the database. Errors: Error - its name or user is not given.
void require_database(const Config& config);

// All options with meaning, default and unit, as lines for a terminal.
[[nodiscard]] std::string help();

}  // namespace config
