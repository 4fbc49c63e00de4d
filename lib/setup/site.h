#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace setup {

// The names of one site's files, units and accounts. The first site of a host has no name, and uses
// the files and units of the package; every other site has files in /etc/ratingd/sites and units of
// its own.
struct Site {
  std::string name;  // empty: the site of the package's own files

  std::filesystem::path folder;          // of the files below
  std::filesystem::path workers_file;    // ratingd.conf, or sites/NAME.conf
  std::filesystem::path ratingctl_file;  // ratingctl.conf
  std::filesystem::path wp_config;       // a link; empty: the site has no WordPress
  std::filesystem::path secret;
  std::filesystem::path workers_password;
  std::filesystem::path ratingctl_password;
  std::filesystem::path ticket_key;      // of the back end of a site without WordPress
  std::filesystem::path nginx_upstream;  // for http { }
  std::filesystem::path nginx_server;    // for server { }

  std::filesystem::path socket;       // on which the workers listen
  std::filesystem::path runtime_dir;  // of the workers' shared memory
  std::filesystem::path nginx_cache;  // answers that nginx keeps

  std::string unit;       // "ratingd" or "ratingd-NAME": of ratingd.socket, ratingd@1.service ...
  std::string workers;    // the database account of the workers, without its host
  std::string ratingctl;  // the database account of ratingctl

  [[nodiscard]] bool has_wordpress() const { return !wp_config.empty(); }
};

// Whether a site may have this name: 1 to 16 lower-case letters and digits, a letter first, but
// not "maintain", "reload" and "sites", which units of the package have in their names. It is part
// of unit names, nginx's variables and accounts, which MySQL limits to 32 characters.
[[nodiscard]] bool is_site_name(std::string_view name);

// The site "name"; the site without a name if it is empty. REQUIRES: empty or is_site_name().
[[nodiscard]] Site site_named(const std::string& name);

// The site of this host whose workers share memory in this folder; the site without a name if none
// of the others does.
[[nodiscard]] Site site_in(const std::filesystem::path& runtime_dir);

// The sites in /etc/ratingd/sites by their names, and then the site without a name, set up or not.
// Files that cannot be read are left out.
[[nodiscard]] std::vector<Site> all_sites();

// The command of ratingctl for this site: "ratingctl setup --site NAME" for "setup".
[[nodiscard]] std::string command_for(const Site& site, const std::string& command);

// Whether something is at this path; not if that cannot be found out.
[[nodiscard]] bool is_there(const std::filesystem::path& path);

// The path without links; unchanged if it leads nowhere.
[[nodiscard]] std::filesystem::path real_path(const std::filesystem::path& path);

// What is in a folder, in any order; nothing if it cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

// --- The files that setup makes for a site ------------------------------------------------------

// A file of the package, as it is in the source: of systemd/ and nginx/. Empty if there is none
// with this name.
[[nodiscard]] std::string_view packaged_file(std::string_view name);

// What a site's configuration says beyond names that follow from the site's own.
struct SiteOptions {
  std::string base_path = "/wp-json/ratingd/v1";
  unsigned blog_id = 1;                            // in a network of sites
  bool serves_all = false;                         // all sites of the network
  std::map<std::string, std::string> others = {};  // by their names, as the file has them
};

// The text of the workers' and of ratingctl's configuration. REQUIRES: the site has a name.
[[nodiscard]] std::string workers_conf(const Site& site, const SiteOptions& options);
[[nodiscard]] std::string ratingctl_conf(const Site& site, const SiteOptions& options);

// The two files for nginx: those of the package, with the names of the site, so that the files of
// several sites can be in one nginx, and even in one server { }. REQUIRES: the site has a name.
[[nodiscard]] std::string nginx_upstream(const Site& site, const SiteOptions& options);
[[nodiscard]] std::string nginx_server(const Site& site, const SiteOptions& options);

struct Unit {
  std::string name;  // "ratingd-blog@.service"
  std::string text;
};

// The units of a site: those of the package that are for it, with the names of the site. A line at
// their beginning says that they are made. "prefix" is where the programs are installed: "/usr".
// REQUIRES: the site has a name.
[[nodiscard]] std::vector<Unit> site_units(const Site& site, const std::string& prefix);

// What makes the system account of the site's workers (sysusers.d(5)): no other site's workers have
// it. REQUIRES: the site has a name.
[[nodiscard]] std::string site_sysusers(const Site& site);

// The prefix of the first line of such a file.
inline constexpr std::string_view kMadeBySetup = "# Made by \"ratingctl setup\"";

}  // namespace setup
