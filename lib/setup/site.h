#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace setup {

// The names of a site's files, systemd units and database accounts. The first site on a host has no
// name and uses the package's files and units. Each named site has its own units, and its own files
// in /etc/ratingd/sites.
struct Site {
  std::string name;  // empty for the site that uses the package's files

  std::filesystem::path folder;          // the folder for the following files
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

  std::string unit;       // the beginning of unit names, "ratingd" or "ratingd-NAME"
  std::string workers;    // the workers' database account, without its host
  std::string ratingctl;  // ratingctl's database account

  [[nodiscard]] bool has_wordpress() const { return !wp_config.empty(); }
};

// Returns whether "name" is a valid site name. A valid name consists of 1 to 16 lower-case letters
// and digits and begins with a letter. The names "maintain", "reload" and "sites" are reserved for
// the package's systemd units. The name of a site is part of unit names, nginx variables and
// database account names. MySQL limits account names to 32 characters.
[[nodiscard]] bool is_site_name(std::string_view name);

// Returns the site named "name", which must be a valid site name or empty.
[[nodiscard]] Site site_named(const std::string& name);

// Returns the site on this host whose workers share memory in the folder "runtime_dir". If the
// folder does not belong to any named site, returns the site without a name.
[[nodiscard]] Site site_in(const std::filesystem::path& runtime_dir);

// Returns the sites in the folder /etc/ratingd/sites, sorted by name, followed by the site without
// a name. The result contains the site without a name even if this site is not set up.
[[nodiscard]] std::vector<Site> all_sites();

// Returns a ratingctl command for a site, for example "ratingctl setup --site NAME".
[[nodiscard]] std::string command_for(const Site& site, const std::string& command);

// Returns true if the path exists, and false if it does not exist or cannot be checked.
[[nodiscard]] bool is_there(const std::filesystem::path& path);

// Returns the path with all links resolved. If the path does not exist, returns the path unchanged.
[[nodiscard]] std::filesystem::path real_path(const std::filesystem::path& path);

// Returns the path to which a link leads, or the path unchanged if it is not a link. Does not
// resolve further links. WordPress may read its wp-config.php through a link to another folder, and
// its plugins are in the folder of the link.
[[nodiscard]] std::filesystem::path linked_path(const std::filesystem::path& path);

// Returns the entries in a folder, in any order, or nothing if the folder cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

// --- The files that setup creates for a site -----------------------------------------------------

// Returns the unchanged content of the file "name" from the systemd/ or nginx/ folder in the source
// code. Returns an empty string if the file does not exist.
[[nodiscard]] std::string_view packaged_file(std::string_view name);

// The parts of a site's configuration that cannot be derived from the site's name.
struct SiteOptions {
  std::string base_path = "/wp-json/ratingd/v1";
  unsigned blog_id = 1;                            // the site's number in a network
  bool serves_all = false;                         // the workers serve all sites in the network
  std::map<std::string, std::string> others = {};  // all other options, by their name in the file
};

// Return the text of the configuration files for the workers and for ratingctl. The site must have
// a name.
[[nodiscard]] std::string workers_conf(const Site& site, const SiteOptions& options);
[[nodiscard]] std::string ratingctl_conf(const Site& site, const SiteOptions& options);

// Return the text of the two nginx files for a site. The names of nginx variables, zones and
// upstreams contain the site's name, so nginx can include the files of several sites, even in the
// same server { } block. The site must have a name.
[[nodiscard]] std::string nginx_upstream(const Site& site, const SiteOptions& options);
[[nodiscard]] std::string nginx_server(const Site& site, const SiteOptions& options);

struct Unit {
  std::string name;  // for example "ratingd-blog@.service"
  std::string text;
};

// Returns the systemd units of a site. The units are copies of the package's units, but their names
// contain the site's name. The first line of each unit states that the unit is generated. "prefix"
// is the installation prefix of the programs, for example "/usr". The site must have a name.
[[nodiscard]] std::vector<Unit> site_units(const Site& site, const std::string& prefix);

// Returns the configuration file that creates the system account for the site's workers
// (sysusers.d(5)). Each site has its own system account. The site must have a name.
[[nodiscard]] std::string site_sysusers(const Site& site);

// The beginning of the first line in each generated file.
inline constexpr std::string_view kMadeBySetup = "# Made by \"ratingctl setup\"";

}  // namespace setup
