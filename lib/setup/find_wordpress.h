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

// The configurations of WordPress in the usual places below "root": /etc/wordpress/config-*.php
// (Debian's package), /var/www and /srv and two levels of folders in them, web folders in /home,
// and some more. Each file once, in alphabetical order. Files that cannot be read, and those
// without DB_NAME, are left out, such as Debian's /usr/share/wordpress/wp-config.php, which
// includes those in /etc/wordpress.
[[nodiscard]] std::vector<FoundConfig> find_wp_configs(const std::filesystem::path& root = "/");

// The folder of plugins that are always active (WordPress: WPMU_PLUGIN_DIR), of the site with this
// wp-config.php: as it defines it, else the one in WP_CONTENT_DIR, else in Debian's folder for a
// file in /etc/wordpress, or in the wp-content beside the file or of the only WordPress one level
// below it that has no such file of its own. Nothing if that wp-content is not there, or if the
// folder has another name than mu-plugins. Errors: config::Error - the file cannot
// be read.
[[nodiscard]] std::optional<std::filesystem::path> plugin_folder(
    const std::filesystem::path& wp_config, const std::filesystem::path& root = "/");

}  // namespace setup
