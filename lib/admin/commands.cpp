#include "admin/commands.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string_view>

#include "admin/commands_help.h"
#include "admin/network.h"
#include "admin/output.h"
#include "base/text.h"
#include "setup/site.h"

namespace admin {
namespace {

// The commands' default configuration files.
constexpr const char* kOwnFile = "/etc/ratingd/ratingctl.conf";
constexpr const char* kWorkersFile = "/etc/ratingd/ratingd.conf";
constexpr const char* kNoFile = "";  // the command may run before the files are complete

using Words = std::span<const std::string>;

enum class Group { installation, checks, data, settings };

struct Command {
  const char* name;         // the arguments that name the command
  Group group;              // shown in the list of commands
  const char* summary;      // shown in the list of commands
  const char* help;         // commands_help.h; flags_in() and usage_of() read it, too
  std::size_t least, most;  // the number of additional arguments
  bool needs_database;
  CommandFunction* run;
  const char* default_file = kOwnFile;
};

constexpr std::size_t kAny = 1000;
constexpr const char* kSetupCommand = "setup";
constexpr const char* kReloadCommand = "reload";
constexpr const char* kSite = "site";  // a flag for all commands
constexpr const char* kUrl = "url";    // a flag for commands that need the database

// Imports the file named by the argument, or another plugin's votes if --from is given.
int import_file_or_plugin(const Invocation& call) {
  const bool is_of_plugin = call.has("from");
  if (is_of_plugin && (!call.arguments.empty() || call.has("format"))) {
    return refuse("ratingctl: import takes either a file or --from.");
  }
  return is_of_plugin ? import_plugin(call) : import_data(call);
}

constexpr Command kCommands[] = {
    {kSetupCommand, Group::installation, "set up a site, or remove it from this host",
     commands_help::kSetup, 0, 0, false, setup, kNoFile},
    {kReloadCommand, Group::installation, "replace the workers after files have changed",
     commands_help::kReload, 0, 0, false, reload, kNoFile},
    {"grants", Group::installation, "print SQL for the privileges of the database accounts",
     commands_help::kGrants, 0, 2, true, print_grants},
    {"migrate", Group::installation, "create ratingd's tables, or update them",
     commands_help::kMigrate, 0, 0, true, migrate},
    {"drop", Group::installation, "delete ratingd's tables with all data", commands_help::kDrop, 0,
     0, true, drop},
    {"doctor", Group::checks, "check the installation and say what to do", commands_help::kDoctor,
     0, 0, true, doctor, kWorkersFile},
    {"status", Group::checks, "show the workers, their counters and the database",
     commands_help::kStatus, 0, 0, true, status},
    {"verify", Group::checks, "compare the sums with the votes", commands_help::kVerify, 0, 0, true,
     verify},
    {"rebuild", Group::checks, "repair the sums that do not match the votes",
     commands_help::kRebuild, 0, 0, true, rebuild},
    {"maintain", Group::checks, "delete old data, as the timer does every night",
     commands_help::kMaintain, 0, 0, true, maintain},
    {"free-memory", Group::checks, "remove the stopped workers' shared memory",
     commands_help::kFreeMemory, 0, 0, true, free_memory, kWorkersFile},
    {"backup", Group::data, "write all data to a file", commands_help::kBackup, 1, 1, true, backup},
    {"restore", Group::data, "restore all data from a backup", commands_help::kRestore, 1, 1, true,
     restore},
    {"export", Group::data, "write ratings, settings and templates to a file",
     commands_help::kExport, 0, 1, true, export_data},
    {"import", Group::data, "import an exported file, or another plugin's votes",
     commands_help::kImport, 0, 1, true, import_file_or_plugin},
    {"clean", Group::data, "delete ratings, addresses, settings or templates",
     commands_help::kClean, 1, 1, true, clean_data},
    {"merge", Group::data, "move ratings to other objects", commands_help::kMerge, 1, 1, true,
     merge_data},
    {"demo-data", Group::data, "create demo votes on a site without votes",
     commands_help::kDemoData, 0, 0, true, make_demo_data},
    {"settings get", Group::settings, "show settings", commands_help::kSettingsGet, 0, 1, true,
     get_settings},
    {"settings set", Group::settings, "change settings", commands_help::kSettingsSet, 1, kAny, true,
     set_settings},
    {"settings reset", Group::settings, "reset settings to their defaults",
     commands_help::kSettingsReset, 0, kAny, true, reset_settings},
    {"init-secret", Group::settings, "create the site's secret file", commands_help::kInitSecret, 0,
     0, false, init_secret, kNoFile},
    {"rotate-secret", Group::settings, "add a new secret; the previous secret stays valid",
     commands_help::kRotateSecret, 0, 0, false, rotate_secret, kNoFile},
    {"retire-secret", Group::settings, "remove the older of two secrets",
     commands_help::kRetireSecret, 0, 0, false, retire_secret, kNoFile},
    {"ticket-key add", Group::settings, "add a key for a front end's tickets",
     commands_help::kTicketKeyAdd, 1, 1, false, add_ticket_key, kNoFile},
    {"ticket-key list", Group::settings, "show the ticket keys without their secrets",
     commands_help::kTicketKeyList, 0, 0, false, list_ticket_keys, kNoFile},
    {"ticket-key remove", Group::settings, "remove a ticket key", commands_help::kTicketKeyRemove,
     1, 1, false, remove_ticket_key, kNoFile},
};

// The commands that run once per site if the --all-sites flag is given. Commands not in this list
// handle the --all-sites flag themselves.
constexpr CommandFunction* kOncePerSite[] = {status, verify, rebuild, drop, clean_data};

// If "words" begins with the command's name, returns the remaining words. Otherwise, returns
// nothing.
std::optional<Words> words_after(const Command& command, Words words) {
  std::string_view name = command.name;
  while (!name.empty()) {
    if (words.empty() || words.front() != base::take_until(name, ' ')) return std::nullopt;
    words = words.subspan(1);
  }
  return words;
}

// Returns the arguments in "words", or nothing if "words" names another command or has an invalid
// number of arguments.
std::optional<Words> arguments_of(const Command& command, Words words) {
  const auto arguments = words_after(command, words);
  const bool fits =
      arguments && arguments->size() >= command.least && arguments->size() <= command.most;
  return fits ? arguments : std::nullopt;
}

constexpr std::array<const char*, 4> kHeadings = {
    "Installation:", "Checks and repairs:", "Data:", "Settings and secrets:"};  // as in Group

// Returns a line with the name and summary of each command whose name begins with "start".
std::string command_list(std::string_view start) {
  std::string text;
  const Command* previous = nullptr;
  for (const Command& command : kCommands) {
    if (!std::string_view(command.name).starts_with(start)) continue;
    if (previous == nullptr || previous->group != command.group) {
      text += text.empty() ? "" : "\n";
      text += std::string(kHeadings.at(static_cast<std::size_t>(command.group))) + "\n";
    }
    text += fmt::format("  {:<19} {}\n", command.name, command.summary);
    previous = &command;
  }
  return text;
}

// Returns the "Usage: ..." lines from a command's help, and a sentence that explains how to show
// the whole help.
std::string usage_of(const Command& command) {
  std::string_view text = command.help;
  text.remove_prefix(text.find("Usage:"));
  const std::string_view usage = text.substr(0, std::min(text.find("\n\n"), text.size() - 1));
  return fmt::format("{}\nHelp: ratingctl {} --help\n", usage, command.name);
}

// Returns the name of the command that the operator probably meant, or an empty string.
std::string similar_command(const std::string& words) {
  const auto away = [&](const Command& command) {
    return base::edit_distance(words, command.name);
  };
  const auto* const nearest = std::ranges::min_element(kCommands, {}, away);
  return away(*nearest) <= 2 ? nearest->name : "";
}

// Returns the error message for an unknown command. If several commands begin with the first word,
// as with "settings", the message lists these commands.
std::string advice_for_unknown(const std::vector<std::string>& words) {
  const std::string typed = base::joined(words, " ");
  const std::string similar = similar_command(typed);
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    if (std::string_view(command.name).starts_with(words.front() + " ")) {
      names.emplace_back(command.name);
    }
  }
  const std::string advice = !names.empty()     ? "Use one of these: " + base::joined(names) + "."
                             : !similar.empty() ? fmt::format("Did you mean \"{}\"?", similar)
                                                : "Run \"ratingctl --help\" for a list.";
  return fmt::format("there is no command \"{}\".\n{}\n", base::printable(typed), advice);
}

// Returns the error message for an invalid command, with a suggestion of what to type instead.
std::string advice_for(const std::vector<std::string>& words) {
  const Command* meant = nullptr;
  for (const Command& command : kCommands) {
    if (!words_after(command, words)) continue;
    if (meant == nullptr || std::string_view(command.name).starts_with(meant->name)) {
      meant = &command;
    }
  }
  if (meant == nullptr && words.empty()) return "a command is missing.\n\n" + help({});
  if (meant == nullptr) return advice_for_unknown(words);
  const bool lacks = words_after(*meant, words)->size() < meant->least;
  const char* const problem = lacks              ? "requires an argument"
                              : meant->most == 0 ? "takes no argument"
                                                 : "has too many arguments";
  return fmt::format("{} {}.\n{}", meant->name, problem, usage_of(*meant));
}

// Returns the flags in a command's help. A flag begins a line such as "  --votes N  ...",
// "  --yes  ..." or "  --orphans[=remove]  ...".
std::vector<config::CommandFlag> flags_in(std::string_view help) {
  using Value = config::CommandFlag::Value;
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz-";
  constexpr std::string_view kStart = "\n  --";
  std::vector<config::CommandFlag> flags;
  for (std::size_t at = help.find(kStart); at != std::string_view::npos; at = help.find(kStart)) {
    help.remove_prefix(at + kStart.size());
    const std::size_t length = std::min(help.find_first_not_of(kLetters), help.size());
    const std::string_view rest = help.substr(length);
    const bool has_word = rest.size() > 1 && rest[0] == ' ' && base::is_letter(rest[1]);
    flags.push_back({std::string(help.substr(0, length)), rest.starts_with("[=") ? Value::optional
                                                          : has_word             ? Value::required
                                                                                 : Value::none});
  }
  return flags;
}

bool takes(const Command& command, const std::string& flag) {
  const auto flags = flags_in(command.help);
  return flag == kSite || (flag == kUrl && command.needs_database) ||
         std::ranges::count(flags, flag, &config::CommandFlag::name) > 0;
}

int run(const Command& command, const Invocation& call) {
  const config::Network& network = call.config.network;
  const bool is_for_all = call.has(kAllSites);
  const auto url = call.value(kUrl);
  if ((is_for_all || url) && !network.serves_all) {
    throw config::Error(
        fmt::format("--{} requires a network whose workers serve all sites (all-sites = yes in the "
                    "configuration)",
                    url ? kUrl : kAllSites));
  }
  if ((is_for_all && url) || ((is_for_all || url) && network.blog_id != 1)) {
    return refuse("ratingctl: use only one of --all-sites, --url and --blog-id.");
  }
  if (url) {
    const config::Config site = config_of_site(call.config, *url);
    return command.run({site, call.arguments, call.flags});
  }
  if (network.serves_all && network.blog_id != 1) {
    const config::Config site = config_of_site(call.config);
    return command.run({site, call.arguments, call.flags});
  }
  const bool is_repeated = is_for_all && std::ranges::count(kOncePerSite, command.run) > 0;
  return is_repeated ? run_for_all_sites(call, command.run) : command.run(call);
}

std::string no_such_site(const std::string& name) {
  std::vector<std::string> names;
  for (const setup::Site& site : setup::all_sites()) {
    if (!site.name.empty()) names.push_back(site.name);
  }
  return "--site: this host has no site \"" + name + "\". " +
         (names.empty() ? "No site with a name is set up." : "Its sites: " + base::joined(names));
}

}  // namespace

int run_command(const config::Config& config, const std::vector<std::string>& arguments,
                const config::CommandFlags& flags) {
  for (const Command& command : kCommands) {
    const auto operands = arguments_of(command, arguments);
    if (!operands) continue;
    for (const auto& [flag, value] : flags) {
      if (takes(command, flag)) continue;
      return refuse(fmt::format("ratingctl: {0} has no option --{1}.\nHelp: ratingctl {0} --help",
                                command.name, flag));
    }
    const Invocation call{config, *operands, flags};
    if (!command.needs_database) return command.run(call);
    config::require_database(config);
    return run(command, call);
  }
  std::fputs(("ratingctl: " + advice_for(arguments)).c_str(), stderr);
  return kWrongArguments;
}

bool reads_itself(const std::vector<std::string>& arguments) {
  return arguments == std::vector<std::string>{kSetupCommand} ||
         arguments == std::vector<std::string>{kReloadCommand};
}

config::DefaultFile default_file(const std::vector<std::string>& arguments,
                                 const config::CommandFlags& flags) {
  const auto site = flags.find(kSite);
  for (const Command& command : kCommands) {
    if (!arguments_of(command, arguments)) continue;
    if (site == flags.end()) return {command.default_file, ""};
    if (!setup::is_site_name(site->second)) {
      throw config::Error("--site: no site can have the name \"" + site->second + "\"");
    }
    const setup::Site files = setup::site_named(site->second);
    if (!setup::is_there(files.workers_file)) throw config::Error(no_such_site(site->second));
    const bool is_own = command.default_file == std::string_view(kOwnFile);
    return {(is_own ? files.ratingctl_file : files.workers_file).string(), "--site"};
  }
  return {};
}

std::string advice_for_missing(const std::filesystem::path& file) {
  for (const setup::Site& site : setup::all_sites()) {
    if (file == site.wp_config || file == site.workers_password || file == site.ratingctl_password)
      return "The site is not set up yet. Run: " + setup::command_for(site, "setup");
  }
  return "";
}

std::string advice_for_database(const db::Failure& failure) {
  if (db::refuses_account(failure.code()))
    return "Check db-user, db-name and the password in the configuration.";
  switch (failure.code()) {
    case 1142:  // the account lacks a privilege on a table or a column
    case 1143:
      return "A database administrator can grant the privilege with the statements that this "
             "command "
             "prints: ratingctl grants";
    case 2002:  // the server does not respond
    case 2003:
    case 2005:
      return "Check that the database server is running and that db-host or db-socket is correct.";
    default:
      return "";
  }
}

std::vector<config::CommandFlag> command_flags() {
  std::vector<config::CommandFlag> flags = {{kSite, config::CommandFlag::Value::required},
                                            {kUrl, config::CommandFlag::Value::required}};
  for (const Command& command : kCommands) {
    for (config::CommandFlag& flag : flags_in(command.help)) {
      if (std::ranges::count(flags, flag.name, &config::CommandFlag::name) == 0) {
        flags.push_back(std::move(flag));
      }
    }
  }
  return flags;
}

std::string help(const std::vector<std::string>& arguments) {
  const std::string words = base::joined(arguments, " ") + " ";
  if (words == "options ") return config::options_help();
  for (const Command& command : kCommands) {
    if (!words.starts_with(std::string(command.name) + " ")) continue;
    return std::string(command.help).substr(1) +
           "\nFor options such as --site, run \"ratingctl --help\".\n";
  }
  const std::string beginning_with_words = arguments.empty() ? "" : command_list(words);
  if (!beginning_with_words.empty()) {
    return beginning_with_words + "\nHelp for a command: ratingctl COMMAND --help\n";
  }
  return R"(ratingctl sets up and administers ratingd, which counts votes for a website.

Examples:
  sudo ratingctl setup --nginx /etc/nginx/sites-available/example.org.conf
  sudo ratingctl doctor

Usage: ratingctl [OPTION ...] COMMAND [ARGUMENT ...]

)" + command_list("") +
         R"(
Options for all commands:
  --site NAME         the site on this host with this name, if it has several
  --url URL           the site with this address in a WordPress network
  --blog-id N         the site with this number in a WordPress network
  --config FILE       the configuration (default /etc/ratingd/ratingctl.conf)

Help for a command: ratingctl COMMAND --help; all options: man ratingd.conf
)";
}

}  // namespace admin
