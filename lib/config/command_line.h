#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/options.h"

namespace config {

// An option for a single command, which can be set only as a flag and not in files or in the
// environment. If a flag without a value has the same name as an option that all programs share,
// the shared option cannot be set as a flag.
struct CommandFlag {
  enum class Value { none, optional, required };

  std::string name;  // "votes" for --votes
  Value value = Value::none;
};
// The flags' values by name. The value is "" if the flag has no value.
using CommandFlags = std::map<std::string, std::string>;
// The value of a flag that the operator has typed without its optional value.
inline constexpr const char* kDefaultValue = "default";

struct CommandLine {
  Config config;
  bool help = false;  // print the help for "arguments" and exit 0
  bool version = false;
  // The positional arguments, which begin with the command in ratingctl.
  std::vector<std::string> arguments;
  CommandFlags flags;
};

// A configuration file that is read although the option --config is not set.
struct DefaultFile {
  std::string path;         // empty if there is no file
  std::string selected_by;  // the flag that selects it, as the operator wrote it, or empty
};

// The sources of a program's configuration, in addition to the shared options.
struct Sources {
  std::span<const CommandFlag> flags = {};  // the flags for all commands

  // Returns the default configuration file for the positional arguments and flags. The file is read
  // if it exists and if neither flags nor the environment set config, wp-config or db-name, because
  // each of these options may select another site. A file that a flag selects must exist, and the
  // flag must not be combined with these options.
  DefaultFile (*default_file)(const std::vector<std::string>& arguments,
                              const CommandFlags& flags) = nullptr;

  // Returns whether a command reads the configuration itself. For such a command, only flags are
  // read, and flags for shared options are returned as flags for the command.
  bool (*reads_itself)(const std::vector<std::string>& arguments) = nullptr;

  // Reads the CMS's configuration from the file that the option --wp-config names. Returns the
  // options that are not in "given". Adds a sentence to "not_read" for each option whose value the
  // file computes.
  GivenOptions (*cms)(const GivenOption& file, const GivenOptions& given,
                      std::vector<std::string>& not_read) = nullptr;
};

// Reads options from flags, environment variables ("RATINGD_DB_HOST" for --db-host), the file that
// --config names and its additional files, and the wp-config.php that --wp-config names. If several
// of these sources set an option, the first source counts. If the flag --help or --version is set,
// no other source is read. Throws Error if an option is invalid, and PermissionDenied if this user
// may not read a file.
[[nodiscard]] CommandLine read(int argc, const char* const* argv, const Sources& sources);

// Returns the additional files for a configuration file FILE: the files in the folder FILE.d whose
// names end with ".conf", sorted by name. Throws Error if the folder cannot be read, and
// PermissionDenied if this user may not read it.
[[nodiscard]] std::vector<std::string> further_files_of(const std::string& file);

// Returns the options in a configuration file and in its additional files. Values in a later file
// override values in an earlier file. Throws Error if, for example, a file sets an option twice.
// Throws PermissionDenied if this user may not read a file.
[[nodiscard]] GivenOptions options_of_file(const GivenOption& file);

// Checks the database options. Programs and commands that use the database call this function.
// Throws Error if the database's name or user is not set, or if setup has recorded another database
// (config/checked_site.h).
void require_database(const Config& config);

// Returns a hash of the files that a worker reads when it starts: the secret and "config.files".
// All programs on a host compute the same hash for the same files. The hash is never 0. Throws
// Error if a file cannot be read.
[[nodiscard]] std::uint64_t configuration_hash_of(const Config& config);

// Returns the description of all options for "--help options", with defaults and units.
[[nodiscard]] std::string options_help();

}  // namespace config
