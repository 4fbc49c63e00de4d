#include "setup/find_wordpress.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "base/text.h"
#include "config/options.h"
#include "setup/site.h"
#include "wordpress/wp_config.h"

namespace setup {
namespace fs = std::filesystem;
namespace {

constexpr const char* kName = "wp-config.php";
constexpr const char* kPlugins = "mu-plugins";
// The folders in Debian's WordPress package.
constexpr const char* kDebianConfigs = "etc/wordpress";
constexpr const char* kDebianContent = "var/lib/wordpress/wp-content";

struct Place {
  const char* folder;
  int depth;  // the number of folder levels that are searched
};
constexpr auto kPlaces = std::to_array<Place>({
    {"var/www", 2},
    {"srv", 3},
    {"home", 3},
    {"usr/share/nginx", 1},
    {"usr/local/www", 1},
    {"var/lib/wordpress", 0},
    {"opt/wordpress", 0},
    {"opt/bitnami/wordpress", 0},
});

wordpress::WpConfig parsed(const fs::path& file) {
  return wordpress::parse_wp_config(config::read_foreign_file({file.string(), "--wp-config"}),
                                    file.string());
}

void search(const fs::path& folder, int depth, std::vector<fs::path>& files) {
  std::error_code error;
  if (fs::is_regular_file(folder / kName, error)) files.push_back(folder / kName);
  if (depth == 0) return;
  for (const fs::path& entry : entries_of(folder)) {
    if (fs::is_directory(entry, error)) search(entry, depth - 1, files);
  }
}

std::vector<fs::path> candidates(const fs::path& root) {
  std::vector<fs::path> files;
  for (const fs::path& entry : entries_of(root / kDebianConfigs)) {
    const std::string name = entry.filename().string();
    if (name.starts_with("config-") && name.ends_with(".php")) files.push_back(entry);
  }
  for (const Place& place : kPlaces) search(root / place.folder, place.depth, files);
  std::ranges::sort(files);
  return files;
}

// Returns the value of a PHP constant if the value is a literal string with an absolute path.
// Returns nothing if the value is not an absolute path, or if the path contains unprintable
// characters.
std::optional<fs::path> absolute_path(const wordpress::WpConfig& wp, std::string_view name) {
  const auto found = wp.values.find(name);
  if (found == wp.values.end() || !found->second.text) return std::nullopt;
  if (base::printable(*found->second.text) != *found->second.text) return std::nullopt;
  const fs::path path = *found->second.text;
  return path.is_absolute() ? std::optional(path.lexically_normal()) : std::nullopt;
}

// Returns the folder of the WordPress installation that reads "wp_config". WordPress searches for
// wp-config.php in its own folder. If WordPress's folder does not contain wp-config.php, WordPress
// searches in the parent folder, unless the parent folder contains a second WordPress installation
// (see wp-load.php). Returns nothing if several subfolders contain a WordPress installation that
// could read "wp_config". Does not follow links, because they may lead to a different site.
std::optional<fs::path> root_of(const fs::path& wp_config) {
  const fs::path folder = wp_config.parent_path();
  std::error_code error;
  if (fs::exists(folder / "wp-settings.php", error)) return folder;
  std::vector<fs::path> roots;
  for (const fs::path& entry : entries_of(folder)) {
    if (!fs::is_symlink(entry, error) && fs::is_regular_file(entry / "wp-settings.php", error) &&
        fs::is_directory(entry / "wp-includes", error) && !fs::exists(entry / kName, error)) {
      roots.push_back(entry);
    }
  }
  if (roots.size() > 1) return std::nullopt;
  return roots.empty() ? folder : roots.front();
}

std::optional<uid_t> owner_of(const fs::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return status.st_uid;
}

// Returns whether root may write to a folder whose path is defined in wp-config.php. On a shared
// host, the owner of wp-config.php is a customer, who must not be able to make root write to
// arbitrary folders.
bool may_name(const fs::path& wp_config, const fs::path& folder) {
  const auto owner = owner_of(wp_config);
  if (owner == 0U || owner == owner_of(folder)) return true;
  std::error_code error;
  const fs::path own = fs::canonical(wp_config, error).parent_path();
  const fs::path named = fs::canonical(folder, error);
  return std::ranges::mismatch(own, named).in1 == own.end();
}

}  // namespace

std::vector<FoundConfig> find_wp_configs(const fs::path& root) {
  std::vector<FoundConfig> found;
  std::vector<fs::path> seen;
  for (const fs::path& file : candidates(root)) {
    std::error_code error;
    const fs::path real = fs::canonical(file, error);
    if (error || std::ranges::find(seen, real) != seen.end()) continue;
    try {
      const auto wp = parsed(file);
      seen.push_back(real);  // added only after parsing, because a path through a link may be
                             // refused
      const auto name = wp.values.find("DB_NAME");
      if (name == wp.values.end()) continue;
      found.push_back({file, name->second.text.value_or("?")});
    } catch (const config::Error&) {
      // Skip files that are unreadable or are not PHP, because WordPress cannot use them.
    }
  }
  return found;
}

std::optional<fs::path> plugin_folder(const fs::path& wp_config, const fs::path& root) {
  const auto wp = parsed(wp_config);
  std::error_code error;
  if (const auto folder = absolute_path(wp, "WPMU_PLUGIN_DIR")) {
    // A user who can write to wp-config.php must not be able to choose an arbitrary folder on the
    // host.
    const bool is_usual = folder->filename() == kPlugins;
    const bool is_there = is_usual && fs::is_directory(folder->parent_path(), error) &&
                          may_name(wp_config, folder->parent_path());
    return is_there ? folder : std::nullopt;
  }
  auto content = absolute_path(wp, "WP_CONTENT_DIR");
  if (content && !may_name(wp_config, *content)) return std::nullopt;
  if (!content && wp_config.parent_path() == root / kDebianConfigs) content = root / kDebianContent;
  if (!content) {
    if (const auto folder = root_of(wp_config)) content = *folder / "wp-content";
  }
  if (!content || !fs::is_directory(*content, error)) return std::nullopt;
  return *content / kPlugins;
}

}  // namespace setup
