#include "admin/commands.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string_view>

#include "admin/network.h"
#include "admin/output.h"
#include "base/text.h"
#include "setup/site.h"

namespace admin {
namespace {

// The default configuration file for a command.
constexpr const char* kOwnFile = "/etc/ratingd/ratingctl.conf";
constexpr const char* kWorkersFile = "/etc/ratingd/ratingd.conf";
constexpr const char* kNoFile = "";  // the command may run before the files are complete

using Words = std::span<const std::string>;

struct Command {
  const char* name;         // its first arguments
  const char* usage;        // further arguments and flags; flags_in() reads it, too
  std::size_t least, most;  // number of further arguments
  const char* purpose;
  bool needs_database;
  CommandFunction* run;
  const char* default_file = kOwnFile;
};

constexpr std::size_t kAny = 1000;
constexpr const char* kSetup = "setup";
constexpr const char* kReload = "reload";
constexpr const char* kSite = "site";  // a flag for all commands
constexpr const char* kUrl = "url";    // a flag for commands that need the database

// With the flag --from, imports from a plugin; otherwise imports from the file that the argument
// names.
int import_file_or_plugin(const Invocation& call) {
  const bool is_of_plugin = call.has("from");
  if (is_of_plugin && (!call.arguments.empty() || call.has("format"))) {
    return refuse("ratingctl: import takes either a file or --from");
  }
  return is_of_plugin ? import_plugin(call) : import_data(call);
}

constexpr Command kCommands[] = {
    {kSetup,
     "[--wp-config FILE] [--nginx FILE | --apache FILE] [--base-path PATH] "
     "[--blog-id N | --all-sites] [--cms none] [--site-address URL] [--time-zone ZONE] [--db-host "
     "HOST] [--db-name NAME] "
     "[--table-prefix TEXT] [--yes] [--dry-run] [--remove] [--units]",
     0, 0,
     "set up a site: configuration, secret, database accounts, tables, WordPress's plugin and "
     "workers, and with --nginx two lines in the file with the site's server { }, or with --apache "
     "one in that with its <VirtualHost>, and a private nginx behind it. --wp-config "
     "chooses one of several sites. Shows all and asks once (--yes: does not ask; --dry-run: only "
     "shows), and may be repeated. --remove removes all but votes and secret. With --site NAME, "
     "for a further site of this host: --base-path and --blog-id choose other values than "
     "the site's address and 1, --all-sites serves all sites of a network (docs/networks.md), and "
     "--units only writes its units again. With --cms none and "
     "--site-address, for a site without WordPress: creates its database and a ticket key, too "
     "(docs/other-cms.md)",
     false, setup, kNoFile},
    {kReload, "", 0, 0,
     "replace the workers one after the other, for changed files; if a new one does not become "
     "ready, "
     "show why and keep the others",
     false, reload, kNoFile},
    {"init-secret", "", 0, 0, "create the site's secret file (--secret-file)", false, init_secret,
     kNoFile},
    {"rotate-secret", "", 0, 0, "add a new secret; the previous secret stays valid", false,
     rotate_secret, kNoFile},
    {"retire-secret", "", 0, 0, "remove the older of two secrets", false, retire_secret, kNoFile},
    {"ticket-key add",
     "NAME [--rights LIST] [--may-forward] [--cms-users] [--sent-by WHO] [--public-key FILE]", 1, 1,
     "add a key that verifies the tickets of a front end, and print its secret; with --public-key, "
     "tickets are signed with the private key (ES256). Tickets give the rights in LIST "
     "(administer,see_persons,see_unpublished) at most; --may-forward: they may name the visitor's "
     "address; --cms-users: their visitors are users of the CMS; --sent-by server: only the front "
     "end's server sends them, so limits do not count its address; --sent-by browsers, the default "
     "without --may-forward: limits count the sender's address. A second key of a name takes these "
     "over",
     false, add_ticket_key, kNoFile},
    {"ticket-key list", "", 0, 0, "show the ticket keys and their age, without secrets", false,
     list_ticket_keys, kNoFile},
    {"ticket-key remove", "NAME [--older] [--added TIME]", 1, 1,
     "remove a ticket key; of two with this name, the older, or the one that was added at TIME",
     false, remove_ticket_key, kNoFile},
    {"grants", "[workers [ratingctl]] [--from NAME] [--all-sites]", 0, 2,
     "print SQL that grants the two database accounts their rights, or those for an import from "
     "another plugin",
     true, print_grants},
    {"migrate", "[--all-sites [--new]]", 0, 0,
     "create or update the tables in the CMS's database. With --all-sites, root of the database "
     "server's host also gives the accounts their rights to tables that they lack; with --new, "
     "only sites without tables are looked for",
     true, migrate},
    {"status", "[--all-sites]", 0, 0,
     "show the workers of this host, their counters, the database and its schema version", true,
     status},
    {"doctor", "[--all-sites] [--metrics FILE]", 0, 0,
     "check the installation, with the workers' configuration. With --all-sites, print only "
     "findings that are not ok, and a summary. With --metrics, also write the result of each check "
     "to FILE, for the textfile collector of Prometheus's node exporter",
     true, doctor, kWorkersFile},
    {"verify", "[--all-sites]", 0, 0,
     "compute the sums from the votes again and list the differences", true, verify},
    {"rebuild", "[--all-sites]", 0, 0,
     "repair the sums that do not match the votes, while the service runs", true, rebuild},
    {"maintain", "[--orphans[=remove]] [--all-sites]", 0, 0,
     "delete old votes whose sums are kept, erase old addresses, and delete names of visitors, "
     "reasons and voters without votes (run every night); with --orphans, count or remove the "
     "ratings of "
     "deleted content instead. Where the configuration has all-sites = yes, this is for all sites "
     "in any case",
     true, maintain},
    {"backup", "[--with-secret] FILE | FOLDER --all-sites", 1, 1,
     "write all data of ratingd to a new file that only its owner can read, or to standard output "
     "if FILE is -, while votes arrive; with --with-secret also the site's secret. With "
     "--all-sites, each site gets a file in FOLDER: site-1.backup",
     true, backup},
    {"restore", "[--replace] [--with-secret | --keep-secret] FILE | FOLDER --all-sites", 1, 1,
     "restore all data of a backup, or nothing; votes wait meanwhile. FILE may be -, for "
     "standard input. Tables that hold votes require --replace; --with-secret replaces the secret, "
     "too. With --all-sites, restore each site from its file in FOLDER",
     true, restore},
    {"export",
     "[--scope LIST] [--format F] [--user ID | --issuer NAME --subject S] [--object ID] [--type T] "
     "[FILE | FOLDER --all-sites]",
     0, 1,
     "write ratings, settings and templates (LIST) to a file, as ndjson or csv; with --issuer and "
     "--subject, the ratings of a visitor of another front end; a type T of the CMS means its "
     "posts, and \"post\" posts of every type. With --all-sites, each site gets a file in FOLDER: "
     "site-1.ndjson",
     true, export_data},
    {"import", "[--dry-run] [--format F] [FILE] | --from NAME", 0, 1,
     "import a file that export wrote or, with --from, the votes of another "
     "plugin (docs/plugins.md); may be repeated. With --dry-run, show what an import would store",
     true, import_file_or_plugin},
    {"clean",
     "WHAT [--user ID | --issuer NAME --subject S] [--object ID] [--type T] [--before DAY] [--all] "
     "--confirm",
     1, 1, "delete ratings, addresses, settings or templates; T as for export", true, clean_data},
    {"merge", "[--type T] [--dry-run] FILE", 1, 1,
     "move the ratings of objects to others, such as those of translations to the original: each "
     "line of FILE has two ids, FROM,INTO. Of two ratings of one voter the later one stays. T is "
     "the type of all, \"post\" without it; their facets are moved, too. May be repeated",
     true, merge_data},
    {"demo-data", "[--votes N] [--objects M] [--days D] [--seed S] [--invent-posts]", 0, 0,
     "create demo votes on a site without votes (100000 votes in 365 days, on the newest 1000 "
     "published posts and pages; --invent-posts: on the ids 1 to M, even if no such posts exist)",
     true, make_demo_data},
    {"drop", "[--confirm] [--all-sites]", 0, 0,
     "delete ratingd's own tables with all data, permanently; without --confirm, only list the "
     "tables",
     true, drop},
    {"free-memory", "", 0, 0,
     "remove the workers' shared memory, after the last worker has stopped", true, free_memory,
     kWorkersFile},
    {"settings get", "[name | --all-sites]", 0, 1,
     "show all settings, or one, or those that are fixed for all sites of the network", true,
     get_settings},
    {"settings set", "name=value ... [--all-sites]", 1, kAny,
     "change settings; items of lists are separated by commas. With --all-sites, fix them for all "
     "sites of the network: no site can change them",
     true, set_settings},
    {"settings reset", "name ... [--all-sites] | --all", 0, kAny,
     "reset settings to their defaults; with --all-sites, leave them to the sites again", true,
     reset_settings},
};

// The commands that --all-sites runs once per site. Other commands with this flag handle it
// themselves.
constexpr CommandFunction* kOncePerSite[] = {status, verify, rebuild, drop};

// Returns the words after the command's name, or nothing if the words name another command.
std::optional<Words> words_after(const Command& command, Words words) {
  std::string_view name = command.name;
  while (!name.empty()) {
    if (words.empty() || words.front() != base::take_until(name, ' ')) return std::nullopt;
    words = words.subspan(1);
  }
  return words;
}

// Returns the command's arguments. Returns nothing if the words name another command, or if there
// are too few or too many arguments.
std::optional<Words> arguments_of(const Command& command, Words words) {
  const auto arguments = words_after(command, words);
  const bool fits =
      arguments && arguments->size() >= command.least && arguments->size() <= command.most;
  return fits ? arguments : std::nullopt;
}

// Returns the commands and their descriptions, as lines for a terminal.
std::string command_help() {
  constexpr std::size_t kColumn = 31;
  std::string text = "Commands:\n";
  for (const Command& command : kCommands) {
    const std::string usage = fmt::format("  {} {}", command.name, command.usage);
    const bool fits = usage.size() < kColumn;
    text.append(usage).append(fits ? "" : "\n").append(kColumn - (fits ? usage.size() : 0), ' ');
    text.append(command.purpose).append("\n");
  }
  return text;
}

std::string first_word_of(const Command& command) {
  std::string_view name = command.name;
  return std::string(base::take_until(name, ' '));
}

// Returns each first word once, such as "ticket-key", which begins three commands.
std::vector<std::string> first_words_of_commands() {
  std::vector<std::string> first;
  for (const Command& command : kCommands) {
    if (std::ranges::count(first, first_word_of(command)) == 0) {
      first.push_back(first_word_of(command));
    }
  }
  return first;
}

// Returns the error for an unknown command. If its first word begins other commands, the error
// lists how to use these commands.
std::string advice_for_unknown(const std::vector<std::string>& words) {
  std::string usages;
  for (const Command& command : kCommands) {
    if (first_word_of(command) != words.front()) continue;
    usages += fmt::format("  ratingctl {} {}\n", command.name, command.usage);
  }
  const std::string unknown =
      fmt::format("there is no command \"{}\"", base::printable(base::joined(words, " ")));
  if (!usages.empty()) return unknown + ". Usage:\n\n" + usages;
  return fmt::format("{}; the commands are {}. More: ratingctl --help\n", unknown,
                     base::joined(first_words_of_commands()));
}

// Returns the error for words that are not a command. The error says what to type instead.
std::string advice_for(const std::vector<std::string>& words) {
  const Command* meant = nullptr;
  for (const Command& command : kCommands) {
    if (!words_after(command, words)) continue;
    if (meant == nullptr || std::string_view(command.name).starts_with(meant->name)) {
      meant = &command;
    }
  }
  if (meant == nullptr && words.empty()) return "no command\n\n" + command_help();
  if (meant == nullptr) return advice_for_unknown(words);
  const bool lacks = words_after(*meant, words)->size() < meant->least;
  const bool takes_none = meant->most == 0;
  return fmt::format("{} {}. Usage:\n\n  ratingctl {}{}{}\n\n{}\n", meant->name,
                     lacks ? "lacks an argument" : "has too many arguments", meant->name,
                     takes_none ? "" : " ", takes_none ? "" : meant->usage, meant->purpose);
}

// Returns the flags in a usage such as "[--yes] [--votes N] [--orphans[=remove]]".
std::vector<config::CommandFlag> flags_in(std::string_view usage) {
  using Value = config::CommandFlag::Value;
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz-";
  std::vector<config::CommandFlag> flags;
  for (std::size_t at = usage.find("--"); at != std::string_view::npos; at = usage.find("--")) {
    usage.remove_prefix(at + 2);
    const std::size_t length = std::min(usage.find_first_not_of(kLetters), usage.size());
    const std::string_view rest = usage.substr(length);
    const bool has_word = rest.size() > 1 && rest[0] == ' ' && base::is_letter(rest[1]);
    flags.push_back({std::string(usage.substr(0, length)), rest.starts_with("[=") ? Value::optional
                                                           : has_word             ? Value::required
                                                                                  : Value::none});
  }
  return flags;
}

bool takes(const Command& command, const std::string& flag) {
  const auto flags = flags_in(command.usage);
  return flag == kSite || (flag == kUrl && command.needs_database) ||
         std::ranges::count(flags, flag, &config::CommandFlag::name) > 0;
}

int run(const Command& command, const Invocation& call) {
  const config::Network& network = call.config.network;
  const bool is_for_all = call.has(kAllSites);
  const auto url = call.value(kUrl);
  if ((is_for_all || url) && !network.serves_all) {
    throw config::Error(fmt::format(
        "--{} is for a network whose workers serve all sites: the configuration must have "
        "all-sites = yes",
        url ? kUrl : kAllSites));
  }
  if ((is_for_all && url) || ((is_for_all || url) && network.blog_id != 1)) {
    return refuse("ratingctl: only one of --all-sites, --url and --blog-id may be given");
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

// Returns "text" wrapped to lines of at most "width" columns.
std::string wrapped(std::string_view text, std::size_t width) {
  std::string result;
  for (std::size_t column = 0; !text.empty();) {
    const std::string_view word = base::take_until(text, ' ');
    if (column > 0 && column + 1 + word.size() > width) {
      result += '\n';
      column = 0;
    } else if (column > 0) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result + "\n";
}

std::string no_such_site(const std::string& name) {
  std::vector<std::string> names;
  for (const setup::Site& site : setup::all_sites()) {
    if (!site.name.empty()) names.push_back(site.name);
  }
  return "--site: this host has no site \"" + name + "\"; " +
         (names.empty() ? "no site with a name is set up" : "its sites are " + base::joined(names));
}

}  // namespace

int run_command(const config::Config& config, const std::vector<std::string>& arguments,
                const config::CommandFlags& flags) {
  for (const Command& command : kCommands) {
    const auto operands = arguments_of(command, arguments);
    if (!operands) continue;
    for (const auto& [flag, value] : flags) {
      if (takes(command, flag)) continue;
      return refuse(fmt::format("ratingctl: {} has no option --{}", command.name, flag));
    }
    const Invocation call{config, *operands, flags};
    if (!command.needs_database) return command.run(call);
    config::require_database(config);
    return run(command, call);
  }
  fmt::print(stderr, "ratingctl: {}", advice_for(arguments));
  return kWrongArguments;
}

bool reads_itself(const std::vector<std::string>& arguments) {
  return arguments == std::vector<std::string>{kSetup} ||
         arguments == std::vector<std::string>{kReload};
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
      return "The site is not set up yet; run: " + setup::command_for(site, "setup") + "\n";
  }
  return "";
}

std::vector<config::CommandFlag> command_flags() {
  std::vector<config::CommandFlag> flags = {{kSite, config::CommandFlag::Value::required},
                                            {kUrl, config::CommandFlag::Value::required}};
  for (const Command& command : kCommands) {
    for (config::CommandFlag& flag : flags_in(command.usage)) {
      if (std::ranges::count(flags, flag.name, &config::CommandFlag::name) == 0) {
        flags.push_back(std::move(flag));
      }
    }
  }
  return flags;
}

std::string help(const std::vector<std::string>& arguments) {
  constexpr std::size_t kWidth = 80;
  const std::string words = base::joined(arguments, " ") + " ";
  std::string text;
  for (const Command& command : kCommands) {
    if (!words.starts_with(std::string(command.name) + " ")) continue;
    text = wrapped(fmt::format("ratingctl {} {}", command.name, command.usage), kWidth) + "\n" +
           wrapped(command.purpose, kWidth) +
           "\nAll commands and options: ratingctl --help, man ratingctl\n";
  }
  if (!text.empty()) return text;
  return "ratingctl [option ...] command\n\n" + command_help() + "\n" + config::help() +
         "\nWithout --config, --wp-config and --db-name, ratingctl reads "
         "/etc/ratingd/ratingctl.conf;\n"
         "doctor and free-memory read the workers' configuration, /etc/ratingd/ratingd.conf.\n"
         "The option all-sites is no flag of ratingctl: --all-sites runs a command for all sites.\n"
         "With --url URL, a command is for the site of the network that has this address, such as\n"
         "--url example.org/two, as with --blog-id for the one with a number.\n"
         "With --site NAME, every command is for that site of this host, and reads "
         "/etc/ratingd/sites/NAME/ratingctl.conf\n"
         "or /etc/ratingd/sites/NAME.conf instead.\n";
}

}  // namespace admin
