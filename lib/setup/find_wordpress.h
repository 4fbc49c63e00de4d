#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace setup {

// A wp-config.php that defines a database.
struct FoundConfig {
  std::filesystem::path file;
  std::string database;  // "?" if only PHP knows it

  bool operator==(const FoundConfig&) const = default;
};

// Returns the configurations of WordPress in the usual places below "root", in alphabetical order
// and without duplicates. The places are /etc/wordpress/config-*.php (Debian's package), /var/www
// and /srv with two levels of folders, web folders in /home, and some more. Files that cannot be
// read or that define no DB_NAME are omitted. An example is Debian's
// /usr/share/wordpress/wp-config.php, which includes the files in /etc/wordpress.
[[nodiscard]] std::vector<FoundConfig> find_wp_configs(const std::filesystem::path& root = "/");

// Returns the folder of must-use plugins (WordPress: WPMU_PLUGIN_DIR) of the site with this
// wp-config.php. The first rule that applies decides:
//
//   1. The file defines WPMU_PLUGIN_DIR.
//   2. The file defines WP_CONTENT_DIR: its subfolder mu-plugins.
//   3. The file is in /etc/wordpress: Debian's folder.
//   4. The folder wp-content is beside the file, or in the only WordPress one level below the file
//      that has no wp-config.php of its own: its subfolder mu-plugins.
//
// Returns nothing if that wp-content does not exist, or if the folder is not named mu-plugins.
// Errors: config::Error if the file cannot be read.
[[nodiscard]] std::optional<std::filesystem::path> plugin_folder(
    const std::filesystem::path& wp_config, const std::filesystem::path& root = "/");

}  // namespace setup
