#include "setup/site.h"

#include <algorithm>
#include <system_error>

#include "base/bytes.h"

namespace setup {
namespace {

constexpr std::size_t kLongestName = 16;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

Site with_files_in(Site site, const std::filesystem::path& folder) {
  site.folder = folder;
  site.ratingctl_file = folder / "ratingctl.conf";
  site.wp_config = folder / "wp-config.php";
  site.secret = folder / "secret";
  site.workers_password = folder / "db-password";
  site.ratingctl_password = folder / "ratingctl-password";
  site.nginx_upstream = folder / "nginx/ratingd-upstream.conf";
  site.nginx_server = folder / "nginx/ratingd.conf";
  return site;
}

}  // namespace

bool is_site_name(std::string_view name) {
  if (name == "maintain" || name == "reload") return false;
  return !name.empty() && name.size() <= kLongestName && is_lower(name.front()) &&
         std::ranges::all_of(name, [](char c) { return is_lower(c) || base::is_digit(c); });
}

Site site_named(const std::string& name) {
  Site site;
  site.name = name;
  if (name.empty()) {
    site.workers_file = "/etc/ratingd/ratingd.conf";
    site.socket = "/run/ratingd/ratingd.sock";
    site.runtime_dir = "/run/ratingd/shared";
    site.nginx_cache = "/var/cache/ratingd";
    site.unit = "ratingd";
    site.workers = "ratingd";
    site.ratingctl = "ratingctl";
    return with_files_in(std::move(site), "/etc/ratingd");
  }
  site.workers_file = "/etc/ratingd/sites/" + name + ".conf";
  site.socket = "/run/ratingd/sites/" + name + ".sock";
  site.runtime_dir = "/run/ratingd/sites/" + name;
  site.nginx_cache = "/var/cache/ratingd-" + name;
  site.unit = "ratingd-" + name;
  site.workers = "ratingd_" + name;
  site.ratingctl = "ratingctl_" + name;
  return with_files_in(std::move(site), "/etc/ratingd/sites/" + name);
}

Site site_in(const std::filesystem::path& runtime_dir) {
  for (const std::string& name : site_names()) {
    if (site_named(name).runtime_dir == runtime_dir) return site_named(name);
  }
  return site_named("");
}

std::vector<std::string> site_names(const std::filesystem::path& root) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root / "etc/ratingd/sites", error), end;
       !error && entry != end; entry.increment(error)) {
    const std::filesystem::path& path = entry->path();
    if (path.extension() == ".conf" && is_site_name(path.stem().string())) {
      names.push_back(path.stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace setup
