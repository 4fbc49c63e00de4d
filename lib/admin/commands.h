#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "config/command_line.h"
#include "db/connection.h"
#include "runtime/shared_memory.h"
#include "store/settings_store.h"

namespace admin {

// The exit status for invalid arguments.
inline constexpr int kWrongArguments = 2;

// Thrown if a signal interrupts a command that must clean up before it ends.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

// A command as the operator typed it.
struct Invocation {
  const config::Config& config;
  std::span<const std::string> arguments;  // the arguments after the command's name
  const config::CommandFlags& flags;

  [[nodiscard]] bool has(const std::string& flag) const { return flags.contains(flag); }
  [[nodiscard]] std::optional<std::string> value(const std::string& flag) const {
    const auto found = flags.find(flag);
    return found == flags.end() ? std::nullopt : std::optional(found->second);
  }
};

// The functions that run the commands in kCommands (commands.cpp). Each function returns the exit
// status. If the arguments are invalid, the function prints the reason. These functions throw the
// same exceptions as run_command().
using CommandFunction = int(const Invocation& call);
CommandFunction setup, reload;
CommandFunction init_secret, rotate_secret, retire_secret;
CommandFunction add_ticket_key, list_ticket_keys, remove_ticket_key;
CommandFunction print_grants, migrate, status, doctor, verify, rebuild, maintain, drop, free_memory;
CommandFunction backup, restore, export_data, import_data, import_plugin, clean_data, merge_data;
CommandFunction make_demo_data;
CommandFunction get_settings, set_settings, reset_settings;

// The maximum time that a command waits for a database statement. Use kMaxWait for statements that
// read all votes, or that may have to wait for a backup to unlock a table. Use kShortWait for all
// other statements.
inline constexpr std::chrono::hours kMaxWait{24};
inline constexpr std::chrono::minutes kShortWait{10};

[[nodiscard]] db::Connection connect(const config::Config& config,
                                     std::chrono::seconds max_wait = kMaxWait);

// Returns whether this program can use the site's tables (db::can_run_on()). If "is_exact" is true,
// returns true only for tables with the schema version that this program creates. If this program
// cannot use the tables, prints what the operator must do.
[[nodiscard]] bool can_use_tables(db::Connection& connection, bool is_exact = false);

// Throws std::runtime_error with advice for the operator if this program cannot use the site's
// tables.
void require_tables(db::Connection& connection);

// Returns the settings for a new site. If the site has a CMS, only content that the CMS has
// published can be rated.
[[nodiscard]] store::SettingChanges settings_of_new_site(const config::Config& config);

// Applies the missing migrations. If no time zone is stored yet, stores the CMS's time zone and
// applies the changes in "of_new" to the settings.
void migrate_tables(const config::Config& config, const store::SettingChanges& of_new);

// Opens the shared memory that contains the metrics of this host's workers. If the metrics are
// unavailable, returns a sentence that explains why.
[[nodiscard]] tl::expected<std::unique_ptr<const runtime::SharedMemory>, std::string> open_metrics(
    const config::Config& config);

// --- For the program ratingctl -------------------------------------------------------------------

// Runs a ratingctl command and prints its result in readable form. Returns the exit status: 0 on
// success, 1 if the command found a problem, 2 if the arguments are invalid. Throws exceptions with
// messages for the operator.
int run_command(const config::Config& config, const std::vector<std::string>& arguments,
                const config::CommandFlags& flags = {});

// Returns a command's default configuration file, for config::read(). With the --site flag, returns
// the configuration file of the named site. Without the --site flag, returns ratingd.conf for
// commands about the workers, and ratingctl.conf for all other commands. Returns an empty file name
// for unknown commands, and for `init-secret` without --site, because that command runs before the
// configuration files are complete. Throws config::Error if the named site does not exist.
[[nodiscard]] config::DefaultFile default_file(const std::vector<std::string>& arguments,
                                               const config::CommandFlags& flags);

// Returns true for the two commands for which config::read() must not read the configuration:
// `setup`, because it writes the configuration, and `reload`, because it must work even if the
// configuration is invalid.
[[nodiscard]] bool reads_itself(const std::vector<std::string>& arguments);

// Returns a sentence with the command to set up the site to which "file" belongs, or an empty
// string if "file" belongs to no site.
[[nodiscard]] std::string advice_for_missing(const std::filesystem::path& file);

// Returns advice about a database error, or an empty string if there is no advice.
[[nodiscard]] std::string advice_for_database(const db::Failure& failure);

// Returns the flags of all commands, parsed from the commands' help texts.
[[nodiscard]] std::vector<config::CommandFlag> command_flags();

// Returns the help for the command in "arguments", in lines of up to 80 columns. If "arguments"
// contains the word "options", returns config::options_help(). If there are no arguments, returns a
// list of the commands.
[[nodiscard]] std::string help(const std::vector<std::string>& arguments);

}  // namespace admin
