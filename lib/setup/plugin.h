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

// A file of the WordPress plugin, as it is in the package.
struct PluginFile {
  std::string_view name;  // in the folder of plugins: "ratingd/ratingd.php"
  std::string_view content;
};

// All files of the plugin: the folder "ratingd", and the file that loads it as a must-use plugin.
[[nodiscard]] std::span<const PluginFile> plugin_files();

// Writes them below "folder", WordPress's folder mu-plugins. Errors: as write_file().
[[nodiscard]] Step install_plugin(const std::filesystem::path& folder);

// Removes them; other files in the folder "ratingd" stay. Errors: as remove_file().
[[nodiscard]] Step remove_plugin(const std::filesystem::path& folder);

// Removes ratingd-widgets.php, which was the plugin before version 0.2, unless somebody changed it.
[[nodiscard]] Step remove_old_plugin(const std::filesystem::path& folder);

// Whether WordPress with the folder mu-plugins at this path has the plugin, there or in the folder
// plugins beside it, and the one of this package; with both versions.
void check_plugin_in(const std::filesystem::path& must_use, const std::string& setup_command,
                     cms::Findings& findings);

// As check_plugin_in(), for the site with this configuration. No finding if the site is not one
// that "ratingctl setup" makes, or has no WordPress.
void check_plugin(const config::Config& config, std::vector<cms::Finding>& report);

}  // namespace setup
