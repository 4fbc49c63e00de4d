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

// Returns the plugin's files, which are the files in the folder "ratingd" and the loader for a
// must-use plugin.
[[nodiscard]] std::span<const PluginFile> plugin_files();

// Writes the plugin's files to "folder", which is WordPress's folder mu-plugins. The step throws
// the same exceptions as a step from write_file().
[[nodiscard]] Step install_plugin(const std::filesystem::path& folder);

// Removes the plugin's files from "folder". If the subfolder "ratingd" also contains files that do
// not belong to the plugin, these files remain. The step throws the same exceptions as a step from
// remove_file().
[[nodiscard]] Step remove_plugin(const std::filesystem::path& folder);

// Removes the plugin of versions before 0.2, which consisted of only the file ratingd-widgets.php.
// If somebody has changed the file, the file is not removed.
[[nodiscard]] Step remove_old_plugin(const std::filesystem::path& folder);

// Checks whether the plugin is installed in WordPress and matches the plugin in the package.
// "must_use" is the folder mu-plugins. The plugin may also be in the folder "plugins" next to
// mu-plugins. The finding contains the version in WordPress and the version in the package.
void check_plugin_in(const std::filesystem::path& must_use, const std::string& setup_command,
                     cms::Findings& findings);

// Does the same as check_plugin_in() for the site that uses the configuration "config". Adds no
// finding if "ratingctl setup" does not manage the site, or if the site does not use WordPress.
void check_plugin(const config::Config& config, std::vector<cms::Finding>& report);

}  // namespace setup
