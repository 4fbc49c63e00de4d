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

// Returns the WordPress configurations in the usual places below "root", in alphabetical order and
// without duplicates. The places are /etc/wordpress/config-*.php (Debian's package), /var/www and
// /srv with two levels of folders, web folders in /home, and some other folders. Files that cannot
// be read or that define no DB_NAME are omitted. An example is Debian's
// /usr/share/wordpress/wp-config.php, which includes the files in /etc/wordpress.
[[nodiscard]] std::vector<FoundConfig> find_wp_configs(const std::filesystem::path& root = "/");

// Returns the folder for must-use plugins (WordPress: WPMU_PLUGIN_DIR) on the site with this
// wp-config.php. The first rule that applies decides:
//
//   1. If the file defines WPMU_PLUGIN_DIR, returns this folder.
//   2. If the file defines WP_CONTENT_DIR, returns mu-plugins in that folder.
//   3. If the file is in /etc/wordpress, returns mu-plugins in Debian's wp-content.
//   4. If WordPress is in the same folder as the file, returns mu-plugins in its wp-content.
//   5. If exactly one folder next to the file contains a WordPress without its own wp-config.php,
//      returns mu-plugins in the wp-content of this WordPress.
//
// Returns nothing if the folder is not named mu-plugins, if its parent folder does not exist, or if
// the file's owner must not choose this folder. Errors: config::Error if the file cannot be read.
[[nodiscard]] std::optional<std::filesystem::path> plugin_folder(
    const std::filesystem::path& wp_config, const std::filesystem::path& root = "/");

}  // namespace setup
