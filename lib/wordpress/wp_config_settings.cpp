#include "wordpress/wp_config_settings.h"

#include <string_view>

#include "wordpress/wp_config.h"

namespace wordpress {

using config::Option;
using config::Setting;
using config::Settings;

namespace {

// The message for a required option that wp-config.php does not define: the reason and the remedy.
std::string not_given(const Option& option, const Setting& file, const WpConfig& wp) {
  const auto found = wp.values.find(option.constant);
  const std::string advice = "; give " + config::ways_to_give(option);
  if (found != wp.values.end()) {
    return config::at_line(file, found->second.line) + option.constant +
           " is computed, and only literal values are read" + advice;
  }
  if (wp.include_line == 0) return file.value + ": " + option.constant + " is not defined" + advice;
  return config::at_line(file, wp.include_line) + option.constant +
         " is not defined here, and another file, which is not read, is included" + advice;
}

// Only options that are not set: other computed values do not matter.
Settings settings_in(const std::string& text, const Setting& file, const Settings& given,
                     std::vector<std::string>& not_read) {
  const WpConfig wp = parse_wp_config(text, file.value);
  Settings settings;
  for (const Option& option : config::options()) {
    if (option.constant == nullptr || given.contains(option.name)) continue;
    if (option.name == std::string_view("db-host") && given.contains("db-socket")) continue;
    const auto found = wp.values.find(option.constant);
    if (found != wp.values.end() && found->second.text) {
      const std::string where = config::at_line(file, found->second.line) + option.constant;
      config::add(settings, option.name, {*found->second.text, where, true});
    } else if (option.needed) {
      throw config::Error(not_given(option, file, wp));
    } else if (found != wp.values.end() && !option.only_compared) {
      not_read.push_back(not_given(option, file, wp));
    }
  }
  return settings;
}

}  // namespace

Settings read_wp_config(const Setting& file, const Settings& given,
                        std::vector<std::string>& not_read) {
  return settings_in(config::read_file(file), file, given, not_read);
}

Settings read_foreign_wp_config(const Setting& file, const Settings& given,
                                std::vector<std::string>& not_read) {
  return settings_in(config::read_foreign_file(file), file, given, not_read);
}

}  // namespace wordpress
