#include "wordpress/wp_config_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "wordpress/wp_config.h"

namespace wordpress {

using config::GivenOption;
using config::GivenOptions;
using config::Option;

namespace {

// Returns the message for an option that wp-config.php does not define as a literal.
std::string not_given(const Option& option, const GivenOption& file, const WpConfig& wp) {
  const auto found = wp.values.find(option.constant);
  const std::string advice = ". Set " + config::ways_to_give(option);
  if (found != wp.values.end()) {
    return config::at_line(file, found->second.line) + option.constant +
           " is computed, but only literal values are read" + advice;
  }
  if (wp.include_line == 0) return file.value + ": " + option.constant + " is not defined" + advice;
  return config::at_line(file, wp.include_line) + option.constant +
         " is not defined here, and a file that is included is not read" + advice;
}

std::string quoted(std::string_view text) {
  return "'" + base::replace_all(base::replace_all(text, "\\", "\\\\"), "'", "\\'") + "'";
}

// Returns a value as PHP code. If "value" is a list, each item is followed by a line feed.
std::string in_php(std::string_view value, bool is_list) {
  if (!is_list) return quoted(value);
  std::string list = "array(";
  while (!value.empty()) list += quoted(base::take_until(value, '\n')) + ",";
  return list + ")";
}

// Returns the definition of a constant, or of the variable $table_prefix or $super_admins. "value"
// must be a PHP expression. $super_admins is a list of logins.
std::string definition(const std::string& name, const std::string& value) {
  if (!name.starts_with('$')) return "define( '" + name + "', " + value + " );\n";
  return name + " = " + value + ";\n";
}

bool is_login_key(std::string_view constant) {
  static constexpr auto kKeys = std::to_array<std::string_view>(
      {"AUTH_KEY", "AUTH_SALT", "LOGGED_IN_KEY", "LOGGED_IN_SALT", "NONCE_KEY", "NONCE_SALT"});
  return std::ranges::find(kKeys, constant) != kKeys.end();
}

GivenOptions options_in(const std::string& text, const GivenOption& file, const GivenOptions& given,
                        std::vector<std::string>& not_read) {
  const WpConfig wp = parse_wp_config(text, file.value);
  GivenOptions options;
  std::string missing;
  for (const Option& option : config::options()) {
    if (option.constant == nullptr || given.contains(option.name)) continue;
    if (option.name == std::string_view("db-host") && given.contains("db-socket")) continue;
    const auto found = wp.values.find(option.constant);
    if (found != wp.values.end() && found->second.text) {
      const std::string where = config::at_line(file, found->second.line) + option.constant;
      config::add(options, option.name, {*found->second.text, where, true});
    } else if (option.needed) {
      missing += (missing.empty() ? "" : "\n") + not_given(option, file, wp);
    } else if (found != wp.values.end() && !option.only_compared) {
      not_read.push_back(not_given(option, file, wp));
    }
  }
  if (!missing.empty()) throw config::ValueMissing(missing);
  return options;
}

}  // namespace

GivenOptions read_wp_config(const GivenOption& file, const GivenOptions& given,
                            std::vector<std::string>& not_read) {
  return options_in(config::read_foreign_file(file), file, given, not_read);
}

LiteralConfig literal_wp_config(const GivenOption& file) {
  const WpConfig wp = parse_wp_config(config::read_foreign_file(file), file.value);
  LiteralConfig literal;
  literal.has_includes = wp.include_line != 0;
  for (const Option& option : config::options()) {
    if (option.constant == nullptr) continue;
    const auto found = wp.values.find(option.constant);
    const bool is_known = found != wp.values.end() && found->second.text;
    const bool may_be_included = literal.has_includes && is_login_key(option.constant);
    if (found == wp.values.end() && !option.needed && !may_be_included) continue;
    const bool is_list = option.constant == std::string_view("$super_admins");
    if (!is_known) literal.missing.emplace_back(option.constant);
    literal.text +=
        definition(option.constant, is_known ? in_php(*found->second.text, is_list) : "VALUE");
  }
  return literal;
}

}  // namespace wordpress
