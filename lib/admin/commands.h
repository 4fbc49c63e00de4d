#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
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

// A command as the operator typed it.
struct Invocation {
  const config::Config& config;
  std::span<const std::string> arguments;  // those after the command's name
  const config::CommandFlags& flags;

  [[nodiscard]] bool has(const std::string& flag) const { return flags.contains(flag); }
  [[nodiscard]] std::optional<std::string> value(const std::string& flag) const {
    const auto found = flags.find(flag);
    return found == flags.end() ? std::nullopt : std::optional(found->second);
  }
};

// The commands; what each does is in kCommands (commands.cpp). They return the exit status, and
// print what is wrong with their words. Errors: as run_command().
using CommandFunction = int(const Invocation& call);
CommandFunction setup, reload;
CommandFunction init_secret, rotate_secret, retire_secret;
CommandFunction add_ticket_key, list_ticket_keys, remove_ticket_key;
CommandFunction print_grants, migrate, status, doctor, verify, rebuild, maintain, drop, free_memory;
CommandFunction backup, restore, export_data, import_data, import_plugin, clean_data, merge_data;
CommandFunction make_demo_data;
CommandFunction get_settings, set_settings, reset_settings;

// How long a command waits for one statement: one that reads all votes, or that a backup which
// holds the tables delays; any other.
inline constexpr std::chrono::hours kMaxWait{24};
inline constexpr std::chrono::minutes kShortWait{10};

[[nodiscard]] db::Connection connect(const config::Config& config,
                                     std::chrono::seconds max_wait = kMaxWait);

// Whether this program can use the site's tables, as db::can_run_on(); with "is_exact", only if
// they have its own version. If not, prints what to do.
[[nodiscard]] bool can_use_tables(db::Connection& connection, bool is_exact = false);

// The settings with which a site begins. One with a CMS accepts only ratings of content that the
// CMS has published.
[[nodiscard]] store::SettingChanges settings_of_new_site(const config::Config& config);

// Applies the missing migrations. When no time zone is stored yet, it sets "of_new", then notes the
// site's zone.
void migrate_tables(const config::Config& config, const store::SettingChanges& of_new);

// The metrics of the configured site's workers on this host, read-only. Errors: a sentence with the
// reason why they are unavailable.
[[nodiscard]] tl::expected<std::unique_ptr<const runtime::SharedMemory>, std::string> open_metrics(
    const config::Config& config);

// --- For the program ratingctl -------------------------------------------------------------------

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
