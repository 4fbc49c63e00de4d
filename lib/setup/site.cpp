#include "setup/site.h"

#include <algorithm>
#include <system_error>

#include "base/bytes.h"

namespace setup {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLongestName = 16;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

Site with_files_in(Site site, const fs::path& folder) {
  site.folder = folder;
  site.ratingctl_file = folder / "ratingctl.conf";
  site.wp_config = folder / "wp-config.php";
  site.secret = folder / "secret";
  site.workers_password = folder / "db-password";
  site.ratingctl_password = folder / "ratingctl-password";
  site.ticket_key = folder / "ticket-key";
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
  const bool is_packaged = name.empty();
  const fs::path etc = "/etc/ratingd";
  Site site;
  site.name = name;
  site.workers_file = etc / (is_packaged ? "ratingd.conf" : "sites/" + name + ".conf");
  site.socket = is_packaged ? "/run/ratingd/ratingd.sock" : "/run/ratingd/sites/" + name + ".sock";
  site.runtime_dir = "/run/ratingd/" + (is_packaged ? "shared" : "sites/" + name);
  site.unit = is_packaged ? "ratingd" : "ratingd-" + name;
  site.nginx_cache = "/var/cache/" + site.unit;
  site.workers = is_packaged ? "ratingd" : "ratingd_" + name;
  site.ratingctl = is_packaged ? "ratingctl" : "ratingctl_" + name;
  return with_files_in(std::move(site), is_packaged ? etc : etc / "sites" / name);
}

Site site_in(const fs::path& runtime_dir) {
  const std::vector<Site> sites = all_sites();
  const auto found = std::ranges::find(sites, runtime_dir, &Site::runtime_dir);
  return found == sites.end() ? sites.back() : *found;
}

std::vector<Site> all_sites() {
  std::vector<Site> sites;
  for (const fs::path& file : entries_of("/etc/ratingd/sites")) {
    const std::string name = file.stem().string();
    if (file.extension() == ".conf" && is_site_name(name)) sites.push_back(site_named(name));
  }
  std::ranges::sort(sites, {}, &Site::name);
  sites.push_back(site_named(""));
  return sites;
}

std::string command_for(const Site& site, const std::string& command) {
  return "ratingctl " + command + (site.name.empty() ? "" : " --site " + site.name);
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

fs::path real_path(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? path : target;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  return entries;
}

}  // namespace setup
