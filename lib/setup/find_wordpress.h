#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace setup {

// A wp-config.php file that defines a database.
struct FoundConfig {
  std::filesystem::path file;
  std::string database;  // "?" if PHP code computes the name

  bool operator==(const FoundConfig&) const = default;
};

// Returns the WordPress configuration files in the usual folders below "root", in alphabetical
// order and without duplicates. The function searches /etc/wordpress/config-*.php (Debian's
// package), two levels of folders in /var/www and /srv, web folders in /home, and some other
// folders. Files that cannot be read or do not define DB_NAME are omitted, such as Debian's
// /usr/share/wordpress/wp-config.php, which includes the files in /etc/wordpress.
[[nodiscard]] std::vector<FoundConfig> find_wp_configs(const std::filesystem::path& root = "/");

// Returns the folder for must-use plugins (WordPress: WPMU_PLUGIN_DIR) of the site that uses the
// file "wp_config". The function applies the first matching rule from the following list.
//
// If wp-config.php defines WPMU_PLUGIN_DIR, returns WPMU_PLUGIN_DIR.
// If wp-config.php defines WP_CONTENT_DIR, returns the folder mu-plugins in WP_CONTENT_DIR.
// If wp-config.php is in /etc/wordpress, returns the folder mu-plugins in Debian's wp-content.
// If WordPress is in the same folder as wp-config.php, returns the folder mu-plugins in its
// wp-content.
// If exactly one folder next to wp-config.php contains a WordPress without its own wp-config.php,
// returns the folder mu-plugins in the wp-content of this WordPress.
//
// Returns nothing if the folder is not named mu-plugins, if its parent folder does not exist, or if
// the owner of wp-config.php must not choose the folder. Throws config::Error if wp-config.php
// cannot be read.
[[nodiscard]] std::optional<std::filesystem::path> plugin_folder(
    const std::filesystem::path& wp_config, const std::filesystem::path& root = "/");

}  // namespace setup
