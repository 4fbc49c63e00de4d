#include "config/command_line.h"

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/crypto.h"
#include "base/text.h"
#include "config/checked_site.h"
#include "config/options.h"

namespace config {
namespace {

namespace po = boost::program_options;

// Returns the error message for an unknown option. The message suggests a similar option or, if no
// option is similar, ends with "list", which tells the operator where to find all options.
std::string no_such_option(const std::string& given, const std::string& name,
                           const std::string& dashes, const std::string& list) {
  const std::string similar = similar_option(name);
  return given + ": there is no such option. " +
         (similar.empty() ? list : "Did you mean " + dashes + similar + "?");
}

// Returns whether a command has a flag without a value and with the same name as "option".
bool is_hidden(const std::string& option, std::span<const CommandFlag> of_commands) {
  return std::ranges::any_of(of_commands, [&](const CommandFlag& flag) {
    return flag.name == option && flag.value == CommandFlag::Value::none;
  });
}

po::options_description flag_descriptions(std::span<const CommandFlag> of_commands) {
  po::options_description flags;
  for (const Option& option : options()) {
    if (option.secret || is_hidden(option.name, of_commands)) continue;
    flags.add_options()(option.name, po::value<std::string>());
  }
  flags.add_options()("help,h", "")("version", "");
  return flags;
}

// Returns "text" as indented lines for a terminal.
std::string wrapped(std::string_view text) {
  constexpr std::string_view kIndentation = "      ";
  constexpr std::size_t kWidth = 80;
  std::string result(kIndentation);
  std::size_t column = result.size();
  while (!text.empty()) {
    const std::string_view word = base::take_until(text, ' ');
    const bool begins = column == kIndentation.size();
    if (!begins && column + 1 + word.size() > kWidth) {
      result.append("\n").append(kIndentation);
      column = kIndentation.size();
    } else if (!begins) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result + "\n";
}

po::parsed_options parse_flags(int argc, const char* const* argv,
                               std::span<const CommandFlag> of_commands) {
  // Abbreviations are disabled, so that "--db" does not select an option by its prefix.
  constexpr int kStyle =
      po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
  po::options_description flags = flag_descriptions(of_commands);
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  for (const CommandFlag& flag : of_commands) {
    if (find_option(flag.name) != nullptr && !is_hidden(flag.name, of_commands)) continue;
    auto* const value = po::value<std::string>();
    if (flag.value == CommandFlag::Value::none) value->zero_tokens();
    flags.add_options()(flag.name.c_str(), value);
    if (flag.value != CommandFlag::Value::optional) continue;
    // Do not use implicit_value(), because an option with an implicit value would consume the next
    // argument.
    const std::string name = "--" + flag.name;
    std::ranges::replace(words, name, name + "=" + kDefaultValue);
  }
  try {
    return po::command_line_parser(words).options(flags).style(kStyle).allow_unregistered().run();
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
}

[[noreturn]] void refuse_flag(const po::option& flag) {
  const Option* const option = find_option(flag.string_key);
  if (option != nullptr) {
    throw UsageError("--" + flag.string_key +
                     " is not a flag, because every user of the host could see it. Use " +
                     ways_to_give(*option));
  }
  throw UsageError(no_such_option(flag.original_tokens.front(), flag.string_key, "--",
                                  "For a list, use --help."));
}

GivenOptions from_flags(int argc, const char* const* argv, std::span<const CommandFlag> of_commands,
                        CommandLine& line) {
  GivenOptions given;
  const po::parsed_options parsed = parse_flags(argc, argv, of_commands);
  for (const po::option& flag : parsed.options) {
    line.help |= flag.string_key == "help";
    line.version |= flag.string_key == "version";
    if (flag.position_key >= 0) line.arguments.push_back(flag.value.front());
  }
  if (line.help || line.version) return given;
  for (const po::option& flag : parsed.options) {
    if (flag.unregistered) refuse_flag(flag);
    if (flag.position_key >= 0) continue;
    const std::string& name = flag.string_key;
    const std::string value = flag.value.empty() ? "" : flag.value.front();
    if (find_option(name) != nullptr && !is_hidden(name, of_commands)) {
      add(given, name, {value, "--" + name});
    } else if (!line.flags.emplace(name, value).second) {
      throw UsageError("--" + name + " is given twice");
    }
  }
  return given;
}

GivenOptions from_environment() {
  GivenOptions given;
  for (const Option& option : options()) {
    const std::string variable = variable_of(option.name);
    // Calling getenv() is safe here, because no thread has been started yet.
    const char* const value = std::getenv(variable.c_str());  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr) add(given, option.name, {value, variable});
  }
  return given;
}

// Double quotes preserve leading and trailing spaces in a value. Escape sequences are not
// supported.
std::string_view unquoted(std::string_view value) {
  const bool quoted = value.size() > 1 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

// Returns the options in one file.
GivenOptions options_in(const GivenOption& file) {
  GivenOptions given;
  std::istringstream lines(read_file(file));
  std::string line;
  for (unsigned number = 1; std::getline(lines, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    const std::string_view text = base::trim(line);
    if (text.empty() || text.starts_with('#')) continue;
    const std::string where = at_line(file, number);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) {
      throw Error(where + "must be \"name = value\", or a comment that begins with #");
    }
    const std::string name(base::trim(text.substr(0, equals)));
    if (find_option(name) == nullptr) {
      throw Error(no_such_option(where + name, name, "", "For a list, see man ratingd.conf."));
    }
    if (name == "config") throw Error(where + "a configuration file cannot name another file");
    const std::string value(unquoted(base::trim(text.substr(equals + 1))));
    add(given, name, {value, where + name});
  }
  return given;
}

// Copies each option in "weaker" to "stronger", unless "stronger" already contains the option. A
// password file has the same precedence as the option that names it.
void add_weaker(GivenOptions& stronger, GivenOptions weaker) {
  const auto file = weaker.find("db-password-file");
  if (file != weaker.end() && !stronger.contains("db-password") &&
      !weaker.contains("db-password")) {
    std::string password = read_file(file->second);
    while (password.ends_with('\n') || password.ends_with('\r')) password.pop_back();
    add(weaker, "db-password", {std::move(password), file->second.where});
  }
  stronger.merge(weaker);
}

// Rejects a configuration that selects a single site and also contains all-sites = yes. With
// all-sites = yes, ratingctl's --blog-id flag is still allowed, because it selects the site for a
// command.
void refuse_site_among_all(const Network& network, const GivenOptions& given, bool has_commands) {
  if (!network.serves_all || network.blog_id == 1) return;
  const std::string& where = given.at("blog-id").where;
  if (has_commands && where == "--blog-id") return;
  throw Error(where + " is for one site and cannot be combined with all-sites = yes");
}

void set_table_prefix(Config& config) {
  const Network& network = config.network;
  if (!network.exists && (network.blog_id != 1 || network.serves_all)) {
    throw Error(
        std::string(network.serves_all ? "all-sites" : "blog-id") +
        " requires a network of sites. If the site is in a network, use --wp-multisite=yes");
  }
  config.table_prefix = table_prefix_of(config, network.blog_id);
}

// Rejects options for another CMS, because they would have no effect.
void require_options_of_cms(const Config& config, const GivenOptions& given) {
  for (const Option& option : options()) {
    const auto found = given.find(option.name);
    if (found == given.end() || !option.cms || *option.cms == config.cms) continue;
    throw Error(found->second.where + " requires cms = " + std::string(name_of(*option.cms)) +
                ", but this site has cms = " + std::string(name_of(config.cms)));
  }
  if (config.cms == CmsName::none && config.standalone.address.empty()) {
    throw Error("site-address is required with cms = none. Set " +
                ways_to_give(*find_option("site-address")) +
                ", or site-address in the file of --config");
  }
}

// Adds the default configuration file as the value of the "config" option (Sources::default_file).
void add_default_file(GivenOptions& given, const DefaultFile& file) {
  const bool is_selected = !file.selected_by.empty();
  for (const char* name : {"config", "wp-config", "db-name"}) {
    const auto other = given.find(name);
    if (other == given.end()) continue;
    if (!is_selected) return;
    throw Error(file.selected_by + " and " + other->second.where + " cannot be combined");
  }
  // If exists() fails, add the file, because reading the file reports the reason.
  std::error_code error;
  const bool is_missing = !std::filesystem::exists(file.path, error) && !error;
  if (file.path.empty() || (is_missing && !is_selected)) return;
  add(given, "config", {file.path, is_selected ? file.selected_by : "the default of --config"});
}

}  // namespace

CommandLine read(int argc, const char* const* argv, const Sources& sources) {
  CommandLine result;
  GivenOptions given;
  GivenOptions flags = from_flags(argc, argv, sources.flags, result);
  if (result.help || result.version) return result;
  if (sources.reads_itself != nullptr && sources.reads_itself(result.arguments)) {
    for (const auto& [name, flag] : flags) result.flags[name] = flag.value;
    return result;
  }
  add_weaker(given, std::move(flags));
  const GivenOptions environment = from_environment();
  add_weaker(given, environment);
  if (sources.default_file != nullptr)
    add_default_file(given, sources.default_file(result.arguments, result.flags));
  const auto configuration = given.find("config");
  if (configuration != given.end()) add_weaker(given, options_of_file(configuration->second));
  const auto cms = given.find("cms");
  const bool is_standalone = cms != given.end() && cms->second.value == name_of(CmsName::none);
  // The systemd units always set the wp-config option, which a site without a CMS ignores.
  if (is_standalone && environment.contains("wp-config")) given.erase("wp-config");
  if (const auto file = given.find("wp-config"); file != given.end()) {
    if (sources.cms == nullptr) throw Error(file->second.where + ": this program does not read it");
    if (configuration != given.end())
      result.config.site_record = record_for(configuration->second.value);
    add_weaker(given, sources.cms(file->second, given, result.config.not_read));
  }
  for (const Option& option : options()) {
    const auto found = given.find(option.name);
    if (option.apply != nullptr && found != given.end()) {
      option.apply(result.config, found->second);
    }
  }
  const auto is_of_cms = [&](const char* name) {
    const auto found = given.find(name);
    return found != given.end() && found->second.is_of_cms;
  };
  result.config.is_server_of_cms = is_of_cms("db-host");
  result.config.is_site_of_cms =
      is_of_cms("db-host") || is_of_cms("db-name") || is_of_cms("table-prefix");
  for (const char* name : {"config", "wp-config", "db-password-file"}) {
    const auto file = given.find(name);
    if (file != given.end()) result.config.files.push_back(file->second.value);
  }
  if (configuration != given.end()) {
    std::ranges::move(further_files_of(configuration->second.value),
                      std::back_inserter(result.config.files));
  }
  refuse_site_among_all(result.config.network, given, !sources.flags.empty());
  set_table_prefix(result.config);
  require_options_of_cms(result.config, given);
  return result;
}

std::vector<std::string> further_files_of(const std::string& file) {
  const std::filesystem::path folder = file + ".d";
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(".conf") && !name.starts_with('.')) files.push_back(entry->path().string());
  }
  if (error && error != std::errc::no_such_file_or_directory &&
      error != std::errc::not_a_directory) {
    const std::string what = folder.string() + " cannot be read: " + error.message();
    if (error == std::errc::permission_denied) throw PermissionDenied(what);
    throw Error(what);
  }
  std::ranges::sort(files);
  return files;
}

GivenOptions options_of_file(const GivenOption& file) {
  GivenOptions given = options_in(file);
  for (const std::string& further : further_files_of(file.value)) {
    GivenOptions later = options_in({further, file.where});
    // If a later file names a password file, ignore the password in an earlier file.
    if (later.contains("db-password-file")) given.erase("db-password");
    later.merge(given);
    given = std::move(later);
  }
  return given;
}

void require_database(const Config& config) {
  const auto require = [](const std::string& value, const char* name) {
    if (!value.empty()) return;
    throw Error(std::string(name) + " is required. Set " + ways_to_give(*find_option(name)) + ", " +
                name + " in the file of --config, or --wp-config");
  };
  require(config.database.name, "db-name");
  require(config.database.user, "db-user");
  require_recorded_site(config);
}

// The hash needs no secret key, because a process that can read the hash in the workers' memory can
// also read the files.
std::uint64_t configuration_hash_of(const Config& config) {
  static constexpr std::array<std::uint64_t, 2> kKey{};
  std::string all = read_file({config.secret_file.string(), "secret-file"});
  for (const std::string& file : config.files) all += '\0' + read_foreign_file({file, file});
  return base::KeyedHash(kKey)(all) | 1U;
}

std::string options_help() {
  std::string text = R"(You can set each option in three ways:

  --db-host=HOST        as a flag
  RATINGD_DB_HOST=HOST  in the environment
  db-host = HOST        in the file that --config names, or in a file *.conf in
                        the folder FILE.d, which is read after FILE

A flag overrides the environment, the environment overrides the files, and the
files override wp-config.php. In files, lines that begin with # are comments.
Double quotes preserve spaces at the ends of a value.

Options:
)";
  for (const Option& option : options()) {
    if (option.secret) continue;
    text +=
        "  --" + std::string(option.name) + " " + option.argument + "\n" + wrapped(option.meaning);
  }
  text += "\nSecrets are not flags, because every user of the host can see flags:\n";
  for (const Option& option : options()) {
    if (option.secret) text += "  " + variable_of(option.name) + "\n" + wrapped(option.meaning);
  }
  return text;
}

}  // namespace config
