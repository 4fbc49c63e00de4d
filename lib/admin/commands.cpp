#include "admin/commands.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string_view>

#include "admin/arguments.h"
#include "admin/backup.h"
#include "admin/demo_data.h"
#include "admin/doctor.h"
#include "admin/drop.h"
#include "admin/grants.h"
#include "admin/import_plugins.h"
#include "admin/maintain.h"
#include "admin/migrate.h"
#include "admin/rebuild.h"
#include "admin/settings.h"
#include "admin/setup.h"
#include "admin/status.h"
#include "admin/ticket_key.h"
#include "admin/transfer.h"
#include "admin/verify.h"
#include "base/parse.h"
#include "base/shared_memory.h"
#include "config/segment_path.h"
#include "identity/secrets.h"
#include "identity/used_tickets.h"
#include "limit/segment.h"
#include "setup/site.h"
#include "votes/writer_turn.h"

namespace admin {
namespace {

// The default configuration file of a command.
constexpr const char* kOwnFile = "/etc/ratingd/ratingctl.conf";
constexpr const char* kWorkersFile = "/etc/ratingd/ratingd.conf";
constexpr const char* kNoFile = "";  // it may run before the files are complete

struct Command {
  const char* name;         // its first arguments
  const char* arguments;    // further arguments, for the help
  std::size_t least, most;  // number of further arguments
  const char* purpose;
  bool needs_database;
  int (*run)(const config::Config& config, Arguments arguments, const Flags& flags);
  std::string_view flags = {};  // its flags, separated by spaces
  const char* default_file = kOwnFile;
};

constexpr std::size_t kAny = 1000;
constexpr const char* kSetup = "setup";
constexpr const char* kReload = "reload";

// A command without arguments.
template <int (*kRun)(const config::Config&)>
int plain(const config::Config& config, Arguments, const Flags&) {
  return kRun(config);
}

// A command with arguments and flags.
template <int (*kRun)(const config::Config&, Arguments)>
int with_arguments(const config::Config& config, Arguments arguments, const Flags&) {
  return kRun(config, arguments);
}
template <int (*kRun)(const config::Config&, const Flags&)>
int with_flags(const config::Config& config, Arguments, const Flags& flags) {
  return kRun(config, flags);
}

// --from names a plugin; otherwise the argument is a file.
int import_file_or_plugin(const config::Config& config, Arguments arguments, const Flags& flags) {
  const bool is_of_plugin = flags.contains("from");
  if (is_of_plugin && (!arguments.empty() || flags.contains("format"))) {
    std::fputs("ratingctl: import takes either a file or --from\n", stderr);
    return 2;
  }
  if (!is_of_plugin && flags.contains("dry-run")) {
    std::fputs("ratingctl: --dry-run is for an import with --from\n", stderr);
    return 2;
  }
  return is_of_plugin ? import_plugin(config, flags) : import_data(config, arguments, flags);
}

int init_secret(const config::Config& config) {
  identity::make_secret(config.secret_file);
  fmt::print("Created {}. Keep it secret, and use the same file on all hosts of this site.\n",
             config.secret_file.native());
  return 0;
}

int rotate_secret(const config::Config& config) {
  identity::rotate_secret(config.secret_file);
  fmt::print("{} has a new secret; the previous secret is still valid.\n",
             config.secret_file.native());
  return 0;
}

int retire_secret(const config::Config& config) {
  identity::retire_secret(config.secret_file);
  fmt::print("Removed the older secret from {}.\n", config.secret_file.native());
  return 0;
}

int free_memory(const config::Config& config) {
  bool was_there = base::SharedMemory::remove(limit::segment_path(config));
  was_there |= base::SharedMemory::remove(config::metrics_segment_path(config));
  was_there |= base::SharedMemory::remove(votes::writer_turn_path(config));
  was_there |= base::SharedMemory::remove(identity::used_tickets_path(config));
  // The workers may have run with another size.
  for (unsigned megabytes = 1; megabytes <= config::kMaxCacheMemory; ++megabytes) {
    was_there |= base::SharedMemory::remove(config::cache_segment_path(config, megabytes));
  }
  std::puts(was_there ? "Removed the workers' shared memory." : "No shared memory was found.");
  return 0;
}

constexpr const char* kSite = "site";  // a flag of all commands

constexpr config::CommandFlag kFlags[] = {
    {"votes", "N"},
    {"objects", "M"},
    {"days", "D"},
    {"seed", "S"},
    {"from", "NAME"},
    {"dry-run", "", "yes"},
    {"orphans", "", "report"},
    {"with-secret", "", "yes"},
    {"keep-secret", "", "yes"},
    {"replace", "", "yes"},
    {"scope", "LIST"},
    {"format", "F"},
    {"user", "ID"},
    {"issuer", "NAME"},
    {"subject", "S"},
    {"object", "ID"},
    {"type", "T"},
    {"before", "DAY"},
    {"all", "", "yes"},
    {"confirm", "", "yes"},
    {"nginx", "FILE"},
    {"yes", "", "yes"},
    {"remove", "", "yes"},
    {"units", "", "yes"},
    {"rights", "LIST"},
    {"may-forward", "", "yes"},
    {"cms-users", "", "yes"},
    {"sent-by", "WHO"},
    {"public-key", "FILE"},
    {"older", "", "yes"},
    {"added", "TIME"},
    {kSite, "NAME"},
};

constexpr Command kCommands[] = {
    {kSetup, "[--wp-config FILE] [--nginx FILE] [--yes] [--dry-run] [--remove]", 0, 0,
     "set up a WordPress site: configuration, secret, database accounts, tables, plugin and "
     "workers, and with --nginx two lines in the file with the site's server { }. --wp-config "
     "chooses one of several sites. Shows all and asks once (--yes: does not ask; --dry-run: only "
     "shows), and may be repeated. --remove removes all but votes and secret. With --site NAME, "
     "for a further site of this host: --base-path PATH and --blog-id N choose other values than "
     "the site's address and 1, and --units only writes its units again",
     false, with_flags<setup>, "wp-config nginx base-path blog-id dry-run yes remove units",
     kNoFile},
    {kReload, "", 0, 0,
     "replace the workers one after the other, for changed files; if a new one does not become "
     "ready, "
     "show why and keep the others",
     false, with_flags<reload>, "", kNoFile},
    {"init-secret", "", 0, 0, "create the site's secret file (--secret-file)", false,
     plain<init_secret>, "", kNoFile},
    {"rotate-secret", "", 0, 0, "add a new secret; the previous secret stays valid", false,
     plain<rotate_secret>, "", kNoFile},
    {"retire-secret", "", 0, 0, "remove the older of two secrets", false, plain<retire_secret>, "",
     kNoFile},
    {"ticket-key add",
     "NAME [--rights LIST] [--may-forward] [--cms-users] [--sent-by WHO] [--public-key FILE]", 1, 1,
     "add a key that verifies the tickets of a front end, and print its secret; with --public-key, "
     "tickets are signed with the private key (ES256). Tickets give the rights in LIST "
     "(administer,see_persons,see_unpublished) at most; --may-forward: they may name the visitor's "
     "address; --cms-users: their visitors are users of the CMS; --sent-by server: only the front "
     "end's server sends them, so limits do not count its address; --sent-by browsers, the default "
     "without --may-forward: limits count the sender's address. A second key of a name takes these "
     "over",
     false, add_ticket_key, "rights may-forward cms-users sent-by public-key", kNoFile},
    {"ticket-key list", "", 0, 0, "show the ticket keys and their age, without secrets", false,
     plain<list_ticket_keys>, "", kNoFile},
    {"ticket-key remove", "NAME [--older] [--added TIME]", 1, 1,
     "remove a ticket key; of two with this name, the older, or the one that was added at TIME",
     false, remove_ticket_key, "older added", kNoFile},
    {"grants", "[workers [ratingctl]] [--from NAME]", 0, 2,
     "print SQL that grants the two database accounts their rights, or ratingctl the rights for an "
     "import",
     true, print_grants, "from"},
    {"migrate", "", 0, 0, "create or update the tables in the CMS's database", true,
     plain<migrate>},
    {"status", "", 0, 0,
     "show the workers of this host, their counters, the database and its schema version", true,
     plain<status>},
    {"doctor", "", 0, 0, "check the installation, with the workers' configuration", true,
     plain<doctor>, "", kWorkersFile},
    {"verify", "", 0, 0, "compute the sums from the votes again and list the differences", true,
     plain<verify>},
    {"rebuild", "", 0, 0, "replace all sums, in the site's time zone, while the service runs", true,
     plain<rebuild>},
    {"maintain", "[--orphans[=remove]]", 0, 0,
     "delete old votes whose sums are kept, erase old addresses, and delete the names of visitors "
     "without votes (run every night); with "
     "--orphans, count or remove the ratings of deleted posts instead",
     true, with_flags<maintain>, "orphans"},
    {"backup", "[--with-secret] FILE", 1, 1,
     "write all data of ratingd to a new file that only its owner can read, with --with-secret "
     "also "
     "the site's secret, while votes arrive",
     true, backup, "with-secret"},
    {"restore", "[--replace] [--with-secret | --keep-secret] FILE", 1, 1,
     "put back what backup wrote, all of it or nothing; votes wait meanwhile. Tables that hold "
     "votes "
     "need --replace; --with-secret replaces the secret, too",
     true, restore, "replace with-secret keep-secret"},
    {"export",
     "[--scope LIST] [--format F] [--user ID | --issuer NAME --subject S] [--object ID] [--type T] "
     "[FILE]",
     0, 1,
     "write ratings, settings and templates (LIST) to a file, as ndjson or csv; with --issuer and "
     "--subject, the ratings of a visitor of another front end; a type T of the CMS means its "
     "posts, and \"post\" posts of every type",
     true, export_data, "scope format user issuer subject object type"},
    {"import", "[--format F] [FILE]", 0, 1,
     "import a file that export wrote or, with --from NAME [--dry-run], the votes of another "
     "plugin (docs/plugins.md); may be repeated",
     true, import_file_or_plugin, "format from dry-run"},
    {"clean",
     "WHAT [--user ID | --issuer NAME --subject S] [--object ID] [--type T] [--before DAY] [--all] "
     "--confirm",
     1, 1, "delete ratings, addresses, settings or templates; T as for export", true, clean_data,
     "user issuer subject object type before all confirm"},
    {"demo-data", "[--votes N] [--objects M] [--days D] [--seed S]", 0, 0,
     "create demo votes on a site without votes (100000 votes on 1000 objects in 365 days)", true,
     with_flags<make_demo_data>, "votes objects days seed"},
    {"drop", "[--confirm]", 0, 0,
     "delete ratingd's own tables with all data, permanently; without --confirm, only list the "
     "tables",
     true, with_flags<drop>, "confirm"},
    {"free-memory", "", 0, 0,
     "remove the workers' shared memory, after the last worker has stopped", true,
     plain<free_memory>, "", kWorkersFile},
    {"settings get", "[name]", 0, 1, "show all settings, or one", true,
     with_arguments<get_settings>},
    {"settings set", "name=value ...", 1, kAny,
     "change settings; items of lists are separated by commas", true, with_arguments<set_settings>},
    {"settings reset", "name ... | --all", 0, kAny, "reset settings to their defaults", true,
     reset_settings, "all"},
};

// The words after the command's name; nothing if this is another command.
std::optional<Arguments> words_after(const Command& command, Arguments words) {
  std::string_view name = command.name;
  while (!name.empty()) {
    if (words.empty() || words.front() != base::take_until(name, ' ')) return std::nullopt;
    words = words.subspan(1);
  }
  return words;
}

// The arguments of the command; nothing if this is another command, or if they are too few or too
// many.
std::optional<Arguments> arguments_of(const Command& command, Arguments words) {
  const auto arguments = words_after(command, words);
  const bool fits =
      arguments && arguments->size() >= command.least && arguments->size() <= command.most;
  return fits ? arguments : std::nullopt;
}

// What is wrong with words that are no command, and what to type instead.
std::string advice_for(const std::vector<std::string>& words) {
  const Command* meant = nullptr;
  for (const Command& command : kCommands) {
    if (!words_after(command, words)) continue;
    if (meant == nullptr || std::string_view(command.name).starts_with(meant->name)) {
      meant = &command;
    }
  }
  if (meant == nullptr) {
    return (words.empty() ? "no command\n\n" : "no such command\n\n") + command_help();
  }
  const bool lacks = words_after(*meant, words)->size() < meant->least;
  const bool takes_none = meant->most == 0;
  return fmt::format("{} {}. Usage:\n\n  ratingctl {}{}{}\n\n{}\n", meant->name,
                     lacks ? "lacks an argument" : "has too many arguments", meant->name,
                     takes_none ? "" : " ", takes_none ? "" : meant->arguments, meant->purpose);
}

bool takes(const Command& command, const std::string& flag) {
  if (flag == kSite) return true;
  return (" " + std::string(command.flags) + " ").find(" " + flag + " ") != std::string::npos;
}

// "text" in lines of at most "width" columns.
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

}  // namespace

int run_command(const config::Config& config, const std::vector<std::string>& arguments,
                const config::CommandFlags& flags) {
  for (const Command& command : kCommands) {
    const auto operands = arguments_of(command, arguments);
    if (!operands) continue;
    for (const auto& [flag, value] : flags) {
      if (takes(command, flag)) continue;
      fmt::print(stderr, "ratingctl: {} has no option --{}\n", command.name, flag);
      return 2;
    }
    if (command.needs_database) config::require_database(config);
    return command.run(config, *operands, flags);
  }
  fmt::print(stderr, "ratingctl: {}", advice_for(arguments));
  return 2;
}

bool reads_itself(const std::vector<std::string>& arguments) {
  return arguments == std::vector<std::string>{kSetup} ||
         arguments == std::vector<std::string>{kReload};
}

config::DefaultFile default_file(const std::vector<std::string>& arguments, const Flags& flags) {
  const auto site = flags.find(kSite);
  for (const Command& command : kCommands) {
    if (!arguments_of(command, arguments)) continue;
    if (site == flags.end()) return {command.default_file, ""};
    if (!setup::is_site_name(site->second)) {
      throw config::Error("--site: no site can have the name \"" + site->second + "\"");
    }
    const setup::Site files = setup::site_named(site->second);
    const bool is_own = command.default_file == std::string_view(kOwnFile);
    return {(is_own ? files.ratingctl_file : files.workers_file).string(), "--site"};
  }
  return {};
}

std::string advice_for_missing(const std::filesystem::path& file) {
  std::vector<std::string> names = setup::site_names();
  names.emplace_back();
  for (const std::string& name : names) {
    const setup::Site site = setup::site_named(name);
    if (file != site.wp_config && file != site.workers_password && file != site.ratingctl_password)
      continue;
    return "The site is not set up yet; run: ratingctl setup" +
           (name.empty() ? "" : " --site " + name) + "\n";
  }
  return "";
}

std::span<const config::CommandFlag> command_flags() { return kFlags; }

std::string help(const std::vector<std::string>& arguments) {
  constexpr std::size_t kWidth = 80;
  std::string words;
  for (const std::string& argument : arguments) words += (words.empty() ? "" : " ") + argument;
  std::string text;
  for (const Command& command : kCommands) {
    if (!(words + " ").starts_with(std::string(command.name) + " ")) continue;
    text = wrapped(fmt::format("ratingctl {} {}", command.name, command.arguments), kWidth) + "\n" +
           wrapped(command.purpose, kWidth) +
           "\nAll commands and options: ratingctl --help, man ratingctl\n";
  }
  if (!text.empty()) return text;
  return "ratingctl [option ...] command\n\n" + command_help() + "\n" + config::help() +
         "\nWithout --config, --wp-config and --db-name, ratingctl reads "
         "/etc/ratingd/ratingctl.conf;\n"
         "doctor and free-memory read the workers' configuration, /etc/ratingd/ratingd.conf.\n"
         "With --site NAME, every command is for that site of this host, and reads "
         "/etc/ratingd/sites/NAME/ratingctl.conf\n"
         "or /etc/ratingd/sites/NAME.conf instead.\n";
}

std::string command_help() {
  constexpr std::size_t kColumn = 31;
  std::string text = "Commands:\n";
  for (const Command& command : kCommands) {
    std::string line = std::string("  ") + command.name + " " + command.arguments;
    line += line.size() < kColumn ? std::string(kColumn - line.size(), ' ')
                                  : "\n" + std::string(kColumn, ' ');
    text += line + command.purpose + "\n";
  }
  return text;
}

}  // namespace admin
