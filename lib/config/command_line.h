#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/options.h"

namespace config {

// An option of a single command: a flag only, not for files or the environment. One without a value
// may have the name of an option of all programs, which then is no flag.
struct CommandFlag {
  enum class Value { none, optional, required };

  std::string name;  // "votes": --votes
  Value value = Value::none;
};
using CommandFlags = std::map<std::string, std::string>;  // values by name; empty without one
inline constexpr const char* kDefaultValue = "default";   // of a flag whose value was left out

struct CommandLine {
  Config config;
  bool help = false;  // print help() and exit 0
  bool version = false;
  std::vector<std::string> arguments;  // positional arguments: the command of ratingctl
  CommandFlags flags;
};

// A configuration file that is read although --config does not name it.
struct DefaultFile {
  std::string path;         // empty: none
  std::string selected_by;  // the flag that selects it, as the operator wrote it; empty: none
};

// What a program reads besides the shared options.
struct Sources {
  std::span<const CommandFlag> flags = {};  // of all commands

  // The default configuration file, by the positional arguments and the flags of commands. It is
  // read if neither flags nor environment set config, wp-config or db-name, each of which may
  // select another site, and if the file exists. A file that a flag selects must exist, and
  // excludes these options.
  DefaultFile (*default_file)(const std::vector<std::string>& arguments,
                              const CommandFlags& flags) = nullptr;

  // Whether a command reads the configuration itself. Then flags only are read, and options among
  // them are returned as flags of the command.
  bool (*reads_itself)(const std::vector<std::string>& arguments) = nullptr;

  // Reads the CMS's configuration, the file of --wp-config: the options that are not in "given".
  // Adds a sentence to "not_read" for each option that it computes.
  GivenOptions (*cms)(const GivenOption& file, const GivenOptions& given,
                      std::vector<std::string>& not_read) = nullptr;
};

// Reads flags, then environment variables ("RATINGD_DB_HOST" for --db-host), then the file named by
// --config, then the wp-config.php named by --wp-config: the first that gives an option wins. With
// "help" or "version" nothing else is read. The file of --config has further files, see below.
// Errors: Error; PermissionDenied.
[[nodiscard]] CommandLine read(int argc, const char* const* argv, const Sources& sources);

// The files that are read after a file that --config names: those in the folder FILE.d whose names
// end with ".conf", in the order of their names. Errors: Error; PermissionDenied.
[[nodiscard]] std::vector<std::string> further_files_of(const std::string& file);

// The options in a file that --config could name, and in its further files, whose values take
// precedence. Errors: Error - also if one file has an option twice; PermissionDenied.
[[nodiscard]] GivenOptions options_of_file(const GivenOption& file);

// Called by programs and commands that use the database. Errors: Error - its name or user is not
// set, or setup has recorded another one (config/checked_site.h).
void require_database(const Config& config);

// A number that changes with the files that a worker reads when it starts: the secret and
// "config.files"; never 0. All programs of a host that are configured by the same files get the
// same one. Errors: Error - a file cannot be read.
[[nodiscard]] std::uint64_t configuration_hash_of(const Config& config);

// All options with description, default and unit, as lines for a terminal.
[[nodiscard]] std::string help();

}  // namespace config
