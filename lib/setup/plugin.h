#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cms/findings.h"
#include "config/config.h"
#include "setup/step.h"

namespace setup {

// A file from the package's WordPress plugin.
struct PluginFile {
  std::string_view name;  // relative to the plugins folder: "ratingd/ratingd.php"
  std::string_view content;
};

// Returns the plugin's files: the folder "ratingd" and its loader as a must-use plugin.
[[nodiscard]] std::span<const PluginFile> plugin_files();

// Writes the files below "folder", which is WordPress's folder mu-plugins. Errors: same as
// write_file().
[[nodiscard]] Step install_plugin(const std::filesystem::path& folder);

// Removes the plugin's files. Other files in the folder "ratingd" stay. Errors: same as
// remove_file().
[[nodiscard]] Step remove_plugin(const std::filesystem::path& folder);

// Removes ratingd-widgets.php, which was the plugin before version 0.2. If somebody has changed the
// file, it stays.
[[nodiscard]] Step remove_old_plugin(const std::filesystem::path& folder);

// Checks whether WordPress has the plugin, and whether it is the plugin from this package.
// "must_use" is the folder mu-plugins. The plugin may also be in the folder plugins next to
// mu-plugins. The finding contains both versions.
void check_plugin_in(const std::filesystem::path& must_use, const std::string& setup_command,
                     cms::Findings& findings);

// Does the same as check_plugin_in() for the site with this configuration. Adds no finding if
// "ratingctl setup" does not manage the site, or if the site has no WordPress.
void check_plugin(const config::Config& config, std::vector<cms::Finding>& report);

}  // namespace setup
