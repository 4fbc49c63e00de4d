#include "config/checked_site.h"

#include <sstream>
#include <system_error>

#include "config/options.h"

namespace config {
namespace {

constexpr const char* kHeader =
    "# Written by \"ratingctl setup\", which has checked that these values belong to the site.\n# "
    "ratingd refuses other values. After a change in wp-config.php, run setup again.\n";

// Returns the lines of "text" that are not in "other".
std::string lines_beyond(const std::string& text, const std::string& other) {
  std::istringstream lines(text);
  std::string beyond;
  for (std::string line; std::getline(lines, line);) {
    if (other.find("\n" + line + "\n") == std::string::npos)
      beyond += (beyond.empty() ? "" : ", ") + line;
  }
  return beyond;
}

}  // namespace

std::string site_lines(const Config& config) {
  return "server = " + names_of_servers(config.database) + "\ndatabase = " + config.database.name +
         "\ntable-prefix = " + config.base_prefix + "\n";
}

std::filesystem::path record_for(const std::filesystem::path& configuration) {
  const std::filesystem::path folder = configuration.parent_path();
  const std::string name = configuration.stem().string();
  // The files sites/NAME.conf and sites/NAME/ratingctl.conf configure the same site, even if NAME
  // is "ratingd".
  const bool is_of_folder =
      folder.filename() != "sites" && (name == "ratingd" || name == "ratingctl");
  return (is_of_folder ? folder : folder / name) / "checked-site";
}

std::string empty_record() { return std::string(kHeader) + "# Nothing is checked yet.\n"; }

std::string record_of(const Config& config) { return kHeader + site_lines(config); }

// A site's name is the name of the site's folder (setup::site_named()).
std::string command_for(const Config& config, const std::string& words) {
  const std::filesystem::path folder = config.site_record.parent_path();
  const bool has_name = folder.parent_path().filename() == "sites";
  return "ratingctl " + words + (has_name ? " --site " + folder.filename().string() : "");
}

std::string setup_command(const Config& config) { return command_for(config, "setup"); }

void require_recorded_site(const Config& config) {
  // If exists() fails, continue, because read_file() reports the reason.
  std::error_code error;
  if (config.site_record.empty() || (!std::filesystem::exists(config.site_record, error) && !error))
    return;
  const std::string record = read_file({config.site_record.string(), "the record of setup"});
  const std::string found = lines_beyond(site_lines(config), "\n" + record);
  if (found.empty()) return;
  throw Error("the configuration (wp-config.php or an option) now has \"" + found +
              "\", but setup has checked other values, which are in " +
              config.site_record.string() +
              ".\nIf you made this change, run: " + setup_command(config));
}

}  // namespace config
