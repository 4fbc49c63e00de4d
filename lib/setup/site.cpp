#include "setup/site.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <system_error>
#include <utility>

#include "base/text.h"

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

// --- The site's files

using Replacement = std::pair<std::string, std::string>;

constexpr std::string_view kPackagedBasePath = "/wp-json/ratingd/v1";
constexpr auto kUnits = std::to_array<std::string_view>({
    "ratingd.socket",
    "ratingd.target",
    "ratingd@.service",
    "ratingd-reload.service",
    "ratingd-maintain.service",
    "ratingd-maintain.timer",
    "ratingd-sites.service",
    "ratingd-sites.timer",
});

std::string replaced(std::string text, const std::vector<Replacement>& all) {
  for (const auto& [from, to] : all) text = base::replace_all(text, from, to);
  return text;
}

std::string with_description(std::string_view text, const Site& site) {
  const std::size_t line = text.find("Description=");
  std::string result(text);
  return result.insert(text.find('\n', line), ", site " + site.name);
}

std::string header(const Site& site, const std::string& advice) {
  return std::string(kMadeBySetup) + " for the site " + site.name + ". " + advice + "\n";
}

// Returns the text of the configuration file for the workers or for ratingctl. "account" is the
// program's database account, and "password" is the path of the file with the account's password.
std::string site_conf(const Site& site, const SiteOptions& options, const std::string& header,
                      const std::string& account, const std::filesystem::path& password) {
  assert(!site.name.empty());
  std::string text = header + "\n\n";
  if (site.has_wordpress()) text += "wp-config = " + site.wp_config.string() + "\n";
  for (const auto& [name, value] : options.others) text += name + " = " + value + "\n";
  if (options.serves_all) text += "all-sites = yes\n";
  if (options.blog_id != 1) text += "blog-id = " + std::to_string(options.blog_id) + "\n";
  text += "base-path = " + options.base_path + "\n";
  text += "secret-file = " + site.secret.string() + "\n";
  text += "runtime-dir = " + site.runtime_dir.string() + "\n";
  text += "db-user = " + account + "\n";
  return text + "db-password-file = " + password.string() + "\n";
}

// Returns replacements for names that must be unique in an nginx configuration, such as the names
// of variables and zones. Does not replace every "ratingd_", because error codes also begin with
// "ratingd_".
std::vector<Replacement> nginx_names(const Site& site) {
  const Site packaged = site_named("");
  const std::string name = "ratingd_" + site.name;
  std::vector<Replacement> names;
  for (const std::string mark : {"$", "?<", "@"})
    names.emplace_back(mark + "ratingd_", mark + name + "_");
  for (const std::string zone : {"ratingd_requests", "ratingd_connections", "ratingd_counts"}) {
    names.emplace_back(zone, name + zone.substr(std::string_view("ratingd").size()));
  }
  names.emplace_back("upstream ratingd {", "upstream " + name + " {");
  names.emplace_back("fastcgi_pass ratingd;", "fastcgi_pass " + name + ";");
  names.emplace_back(packaged.socket.string(), site.socket.string());
  names.emplace_back(packaged.nginx_cache.string() + " ", site.nginx_cache.string() + " ");
  return names;
}

// Returns the replacement for the REST route in URLs such as "/?rest_route=/ratingd/v1/...", which
// WordPress uses with plain permalinks.
Replacement nginx_route(const SiteOptions& options) {
  const std::string packaged = "(?:/|%2f)ratingd(?:/|%2f)v1(";
  const std::size_t rest = options.base_path.find("/wp-json/");
  if (rest == std::string::npos || !options.base_path.ends_with("/v1")) return {packaged, packaged};
  const std::string route = options.base_path.substr(rest + std::string_view("/wp-json/").size());
  return {packaged, "(?:/|%2f)" + base::replace_all(route, "/", "(?:/|%2f)") + "("};
}

// Returns the path replacements for the nginx files of a site whose URL contains a path
// (docs/proxies.md, "A site in a folder").
std::vector<Replacement> nginx_paths(const SiteOptions& options) {
  std::vector<Replacement> paths;
  const std::size_t rest = options.base_path.find("/wp-json/");
  if (rest != std::string::npos && rest != 0) {
    paths.emplace_back("\"~^/+(", "\"~^/+" + options.base_path.substr(1, rest - 1) + "/+(");
  }
  paths.push_back(nginx_route(options));
  paths.emplace_back(std::string(kPackagedBasePath), options.base_path);
  return paths;
}

// Returns the nginx rules in ratingd-network.conf for the sites in subfolders of the network's URL.
std::string nginx_rules_of_network(const Site& site, const SiteOptions& options) {
  const std::string_view text = packaged_file("ratingd-network.conf");
  const std::size_t rule = text.find("rewrite ^/[^/]+(");
  assert(rule != std::string_view::npos);
  const std::size_t rest = options.base_path.find("/wp-json/");
  if (rest == std::string::npos) return "";  // the base path is not the path of a site in a folder
  const std::string folder = options.base_path.substr(0, rest);
  const std::string parent = folder.empty() ? "" : folder.substr(1) + "/+";
  return "\n# The sites of the network that are in folders.\n" +
         replaced(replaced(std::string(text.substr(rule)), nginx_names(site)),
                  {{"^/[^/]+(", "^" + folder + "/[^/]+("},
                   {"\"^/+(", "\"^/+" + parent + "("},
                   {"\"/$1 ", "\"" + folder + "/$1 "},
                   nginx_route(options),
                   {"rewrite ^ ", "rewrite ^ " + folder},
                   {std::string(kPackagedBasePath), options.base_path.substr(rest)},
                   {"$1 last", folder + "$1 last"}});
}

std::string nginx_file(const Site& site, const SiteOptions& options, std::string_view name) {
  assert(!site.name.empty());
  const std::string text = replaced(std::string(packaged_file(name)), nginx_names(site));
  return header(site, "A repeated setup replaces it.") + replaced(text, nginx_paths(options));
}

}  // namespace

bool is_site_name(std::string_view name) {
  if (name == "maintain" || name == "reload" || name == "sites") return false;
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

fs::path linked_path(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::read_symlink(path, error);
  return error ? path : path.parent_path() / target;
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

std::string workers_conf(const Site& site, const SiteOptions& options) {
  return site_conf(site, options,
                   "# Configuration of the workers of the site " + site.name +
                       ". ratingd.conf(5) describes every option. Changes take effect after\n# "
                       "\"systemctl reload " +
                       site.unit + ".target\".",
                   site.workers, site.workers_password);
}

std::string ratingctl_conf(const Site& site, const SiteOptions& options) {
  return site_conf(site, options,
                   "# Configuration of \"ratingctl --site " + site.name +
                       "\". ratingd.conf(5) describes every option.",
                   site.ratingctl, site.ratingctl_password);
}

std::string nginx_upstream(const Site& site, const SiteOptions& options) {
  return nginx_file(site, options, "ratingd-upstream.conf");
}

std::string nginx_server(const Site& site, const SiteOptions& options) {
  return nginx_file(site, options, "ratingd.conf") +
         (options.serves_all ? nginx_rules_of_network(site, options) : "");
}

std::vector<Unit> site_units(const Site& site, const std::string& prefix) {
  assert(!site.name.empty());
  const Site packaged = site_named("");
  std::vector<Unit> units;
  for (const std::string_view name : kUnits) {
    if (!site.has_wordpress() && name.starts_with("ratingd-sites.")) continue;
    std::string text = with_description(packaged_file(name), site);
    text = base::replace_all(text, packaged.folder.string() + "/", site.folder.string() + "/");
    text = replaced(
        std::move(text),
        {{site.folder.string() + "/ratingd.conf", site.workers_file.string()},
         {packaged.socket.string(), site.socket.string()},
         {"User=ratingd\n", "User=" + site.unit + "\n"},
         {"RuntimeDirectory=ratingd/shared", "RuntimeDirectory=ratingd/sites/" + site.name},
         {"ratingctl reload", "ratingctl --site=" + site.name + " reload"},
         {"ratingd@", site.unit + "@"},
         {"ratingd.socket", site.unit + ".socket"},
         {"ratingd.target", site.unit + ".target"},
         {"ratingd-reload", site.unit + "-reload"},
         {"ratingd-maintain", site.unit + "-maintain"},
         {"/usr/bin/", prefix + "/bin/"}});
    if (!site.has_wordpress()) {
      text = replaced(
          std::move(text),
          {{"LoadCredential=wp-config.php:" + site.folder.string() + "/wp-config.php\n", ""},
           {" RATINGD_WP_CONFIG=%d/wp-config.php", ""}});
    }
    // The units of named sites remain after the package is removed. ConditionPathExists prevents
    // systemd from starting these units when the package is not installed.
    text = base::replace_all(text, "[Unit]\n",
                             "[Unit]\nConditionPathExists=" + prefix + "/bin/ratingd\n");
    const std::string unit =
        base::replace_all(name, name.substr(0, std::string_view("ratingd").size()), site.unit);
    units.push_back({unit, header(site,
                                  "A repeated setup replaces it; \"systemctl edit\" "
                                  "makes files for changes.") +
                               text});
  }
  return units;
}

std::string site_sysusers(const Site& site) {
  assert(!site.name.empty());
  return header(site, "A repeated setup replaces it.") + "u " + site.unit +
         " - \"Rating service, site " + site.name + "\"\n";
}

}  // namespace setup
