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
// order and without duplicates. The search includes Debian's /etc/wordpress/config-*.php, two
// folder levels below /var/www, three levels below /srv and /home, and some other folders. Files
// that cannot be read or do not define DB_NAME are omitted. For example, Debian's file
// /usr/share/wordpress/wp-config.php does not define DB_NAME, but includes a file in
// /etc/wordpress.
[[nodiscard]] std::vector<FoundConfig> find_wp_configs(const std::filesystem::path& root = "/");

// Returns a WordPress site's folder for must-use plugins (WPMU_PLUGIN_DIR). "wp_config" is the
// site's wp-config.php file. The first matching rule in the following list applies.
//
// If wp-config.php defines WPMU_PLUGIN_DIR, returns WPMU_PLUGIN_DIR.
// If wp-config.php defines WP_CONTENT_DIR, returns the mu-plugins folder in WP_CONTENT_DIR.
// If wp-config.php is in /etc/wordpress, returns mu-plugins in the wp-content folder of Debian's
// package.
// If WordPress is in the folder of wp-config.php, returns wp-content/mu-plugins in the same folder.
// If exactly one folder next to wp-config.php contains WordPress but no wp-config.php file, returns
// wp-content/mu-plugins in that folder.
//
// Returns nothing if the folder for must-use plugins is not named mu-plugins, or if its parent
// folder does not exist. Also returns nothing if a constant names a folder that is outside
// wp-config.php's folder and has a different owner than wp-config.php, because a customer must not
// be able to choose an arbitrary folder on the host. If root owns wp-config.php, the constants may
// name any folders. Throws config::Error if wp-config.php cannot be read.
[[nodiscard]] std::optional<std::filesystem::path> plugin_folder(
    const std::filesystem::path& wp_config, const std::filesystem::path& root = "/");

}  // namespace setup
