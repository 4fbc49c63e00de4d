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

// A file that belongs to the WordPress plugin.
struct PluginFile {
  std::string_view name;  // relative to the plugins folder, such as "ratingd/ratingd.php"
  std::string_view content;
};

// Returns the plugin's files: the files in the "ratingd" folder and the must-use plugin that loads
// them.
[[nodiscard]] std::span<const PluginFile> plugin_files();

// Writes the plugin's files to "folder", which is WordPress's mu-plugins folder. The step throws
// the same exceptions as a step from write_file().
[[nodiscard]] Step install_plugin(const std::filesystem::path& folder);

// Removes the plugin's files from "folder". Other files in the "ratingd" subfolder remain. The step
// throws the same exceptions as a step from remove_file().
[[nodiscard]] Step remove_plugin(const std::filesystem::path& folder);

// Removes ratingd-widgets.php, which was the plugin's only file before version 0.2. A modified
// ratingd-widgets.php is not removed.
[[nodiscard]] Step remove_old_plugin(const std::filesystem::path& folder);

// Checks whether the plugin is installed in WordPress and matches the plugin in the package.
// "must_use" is the mu-plugins folder. The plugin may also be in the "plugins" folder next to
// mu-plugins. The finding contains the version in WordPress and the version in the package.
void check_plugin_in(const std::filesystem::path& must_use, const std::string& setup_command,
                     cms::Findings& findings);

// Like check_plugin_in(), but for the site with the configuration "config". Adds no finding if
// "ratingctl setup" does not manage the site, or if the site does not use WordPress.
void check_plugin(const config::Config& config, std::vector<cms::Finding>& report);

}  // namespace setup
