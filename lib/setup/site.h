#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace setup {

// The names of a site's files, units and accounts. The first site on a host has no name and uses
// the package's files and units. Every other site has its own files in /etc/ratingd/sites and its
// own units.
struct Site {
  std::string name;  // empty for the site that uses the package's own files

  std::filesystem::path folder;          // the folder for the files below
  std::filesystem::path workers_file;    // ratingd.conf, or sites/NAME.conf
  std::filesystem::path ratingctl_file;  // ratingctl.conf
  std::filesystem::path wp_config;       // a link; empty if the site has no WordPress
  std::filesystem::path secret;
  std::filesystem::path workers_password;
  std::filesystem::path ratingctl_password;
  std::filesystem::path ticket_key;      // the key for the back end of a site without WordPress
  std::filesystem::path nginx_upstream;  // the file for http { }
  std::filesystem::path nginx_server;    // the file for server { }

  std::filesystem::path socket;       // the socket on which the workers listen
  std::filesystem::path runtime_dir;  // for the workers' shared memory
  std::filesystem::path nginx_cache;  // nginx's response cache

  std::string unit;       // the beginning of unit names: "ratingd" or "ratingd-NAME"
  std::string workers;    // the workers' database account, without its host
  std::string ratingctl;  // ratingctl's database account

  [[nodiscard]] bool has_wordpress() const { return !wp_config.empty(); }
};

// Returns whether a site may have this name: 1 to 16 lower-case letters and digits, beginning with
// a letter. The names "maintain", "reload" and "sites" are reserved for the package's units. The
// name is part of unit names, nginx's variables and accounts, which MySQL limits to 32 characters.
[[nodiscard]] bool is_site_name(std::string_view name);

// Returns the site "name", or the site without a name if "name" is empty. REQUIRES: "name" is empty
// or is_site_name().
[[nodiscard]] Site site_named(const std::string& name);

// Returns the site on this host whose workers share memory in this folder. If no other site's
// workers use this folder, returns the site without a name.
[[nodiscard]] Site site_in(const std::filesystem::path& runtime_dir);

// Returns the sites in /etc/ratingd/sites sorted by name, followed by the site without a name,
// whether or not this site is set up. Files that cannot be read are omitted.
[[nodiscard]] std::vector<Site> all_sites();

// Returns the ratingctl command for this site, for example "ratingctl setup --site NAME".
[[nodiscard]] std::string command_for(const Site& site, const std::string& command);

// Returns whether a file of any kind exists at this path. Returns false if this cannot be
// determined.
[[nodiscard]] bool is_there(const std::filesystem::path& path);

// Returns the path with all links resolved. If the path leads nowhere, returns it unchanged.
[[nodiscard]] std::filesystem::path real_path(const std::filesystem::path& path);

// Returns the entries in a folder, in any order, or nothing if the folder cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

// --- The files that setup makes for a site ------------------------------------------------------

// Returns one of the package's files from the source folders systemd/ and nginx/, without changes.
// Returns an empty string if there is no file with this name.
[[nodiscard]] std::string_view packaged_file(std::string_view name);

// The parts of a site's configuration that cannot be derived from the site's name.
struct SiteOptions {
  std::string base_path = "/wp-json/ratingd/v1";
  unsigned blog_id = 1;                            // the site's number in a network
  bool serves_all = false;                         // the workers serve all sites in the network
  std::map<std::string, std::string> others = {};  // the other options by name, as in the file
};

// Return the text of the workers' configuration and of ratingctl's configuration. REQUIRES: the
// site has a name.
[[nodiscard]] std::string workers_conf(const Site& site, const SiteOptions& options);
[[nodiscard]] std::string ratingctl_conf(const Site& site, const SiteOptions& options);

// Return the two files for nginx. They are the package's files with the site's names, so that the
// files for several sites can be included in the same nginx, and even in the same server { }.
// REQUIRES: the site has a name.
[[nodiscard]] std::string nginx_upstream(const Site& site, const SiteOptions& options);
[[nodiscard]] std::string nginx_server(const Site& site, const SiteOptions& options);

struct Unit {
  std::string name;  // for example "ratingd-blog@.service"
  std::string text;
};

// Returns a site's units. They are copies of the package's units with the site's names. Their first
// line says that they are generated. "prefix" is where the programs are installed, for example
// "/usr". REQUIRES: the site has a name.
[[nodiscard]] std::vector<Unit> site_units(const Site& site, const std::string& prefix);

// Returns the file that creates the system account for the site's workers (sysusers.d(5)). Each
// site has its own account. REQUIRES: the site has a name.
[[nodiscard]] std::string site_sysusers(const Site& site);

// The beginning of the first line in each generated file.
inline constexpr std::string_view kMadeBySetup = "# Made by \"ratingctl setup\"";

}  // namespace setup
