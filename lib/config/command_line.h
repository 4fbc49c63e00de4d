#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/options.h"

namespace config {

// Thrown if the command line is invalid.
class UsageError : public Error {
 public:
  using Error::Error;
};

// An option for a single command, which can be set only as a flag, not in files or the environment.
// A flag without a value hides the shared option with the same name, which can then be set only in
// files and in the environment.
struct CommandFlag {
  enum class Value { none, optional, required };

  std::string name;  // "votes" for --votes
  Value value = Value::none;
};
// The flags' values by name. The value is "" if the flag has no value.
using CommandFlags = std::map<std::string, std::string>;
// The value of a flag whose optional value the operator has omitted.
inline constexpr const char* kDefaultValue = "default";

struct CommandLine {
  Config config;
  bool help = false;  // print the help for "arguments" and exit 0
  bool version = false;
  // The positional arguments. In ratingctl, the first positional argument is the command.
  std::vector<std::string> arguments;
  CommandFlags flags;
};

// The configuration file that is read if --config is not set.
struct DefaultFile {
  std::string path;         // empty if there is no file
  std::string selected_by;  // the flag that selects it, as the operator wrote it, or empty
};

// The data and functions that read() needs from a program: its flags, its default file, and how to
// read the CMS's configuration.
struct Sources {
  std::span<const CommandFlag> flags = {};  // the flags for all commands

  // Returns the default configuration file for a command with these positional arguments and flags.
  // The default file is ignored if it is missing, or if a flag or the environment sets config,
  // wp-config or db-name, because each of these options can select another site. A default file
  // that the operator selects with a flag such as --site must exist, and the flag must not be
  // combined with config, wp-config or db-name.
  DefaultFile (*default_file)(const std::vector<std::string>& arguments,
                              const CommandFlags& flags) = nullptr;

  // Returns whether read() must read only flags, because the command in "arguments" has its own
  // code to read the configuration. If reads_itself() returns true, read() stores the flags for
  // shared options in CommandLine::flags.
  bool (*reads_itself)(const std::vector<std::string>& arguments) = nullptr;

  // Reads the CMS's configuration file, whose path is the value of the --wp-config option. Returns
  // the options set in the file, except those in "given". Adds a message to "not_read" for each
  // option that the file sets to a computed value.
  GivenOptions (*cms)(const GivenOption& file, const GivenOptions& given,
                      std::vector<std::string>& not_read) = nullptr;
};

// Reads the options from flags, environment variables (RATINGD_DB_HOST for --db-host), the --config
// file with its additional files, and the --wp-config file. Flags take precedence over environment
// variables, environment variables over the --config file, and the --config file over the
// --wp-config file. If the flag --help or --version is set, only flags are read. Throws UsageError
// if a flag is unknown, repeated or lacks its value, Error if an option is otherwise invalid, and
// PermissionDenied if the user lacks permission to read a file.
[[nodiscard]] CommandLine read(int argc, const char* const* argv, const Sources& sources);

// Returns the additional files for a configuration file FILE: the files in the folder FILE.d whose
// names end with ".conf", sorted by name. Throws Error if the folder cannot be read, and
// PermissionDenied if the user lacks permission to read it.
[[nodiscard]] std::vector<std::string> further_files_of(const std::string& file);

// Returns the options that are set in a configuration file and in its additional files. Values in a
// later file override values in an earlier file. Throws Error if, for example, a file sets an
// option twice. Throws PermissionDenied if the user lacks permission to read a file.
[[nodiscard]] GivenOptions options_of_file(const GivenOption& file);

// Checks the database options. Throws Error if the database's name or user is not set, or if
// "ratingctl setup" has checked a different database (config/checked_site.h).
void require_database(const Config& config);

// Returns a hash of the files that a worker reads when it starts: the secret and "config.files".
// All programs on a host compute the same hash for the same files. The hash is never 0. Throws
// Error if a file cannot be read.
[[nodiscard]] std::uint64_t configuration_hash_of(const Config& config);

// Returns the description of all options for "--help options", with defaults and units.
[[nodiscard]] std::string options_help();

}  // namespace config
