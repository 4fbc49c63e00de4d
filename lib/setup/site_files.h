#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "setup/site.h"

namespace setup {

// A file of the package, as it is in the source: of systemd/ and nginx/. Empty if there is none
// with this name.
[[nodiscard]] std::string_view packaged_file(std::string_view name);

// What a site's configuration says beyond names that follow from the site's own.
struct SiteOptions {
  std::string base_path = "/wp-json/ratingd/v1";
  unsigned blog_id = 1;                            // in a network of sites
  std::map<std::string, std::string> others = {};  // by their names, as the file has them
};

// The text of the workers' and of ratingctl's configuration. REQUIRES: the site has a name.
[[nodiscard]] std::string workers_conf(const Site& site, const SiteOptions& options);
[[nodiscard]] std::string ratingctl_conf(const Site& site, const SiteOptions& options);

// The two files for nginx: those of the package, with the names of the site, so that the files of
// several sites can be in one nginx, and even in one server { }. REQUIRES: the site has a name.
[[nodiscard]] std::string nginx_upstream(const Site& site, const SiteOptions& options);
[[nodiscard]] std::string nginx_server(const Site& site, const SiteOptions& options);

// A unit of systemd.
struct Unit {
  std::string name;  // "ratingd-blog@.service"
  std::string text;
};

// The units of a site: those of the package, with the names of the site. A line at their beginning
// says that they are made. "prefix" is where the programs are installed: "/usr".
// REQUIRES: the site has a name.
[[nodiscard]] std::vector<Unit> site_units(const Site& site, const std::string& prefix);

// What makes the system account of the site's workers (sysusers.d(5)): no other site's workers have
// it. REQUIRES: the site has a name.
[[nodiscard]] std::string site_sysusers(const Site& site);

// The prefix of the first line of such a file.
inline constexpr std::string_view kMadeBySetup = "# Made by \"ratingctl setup\"";

}  // namespace setup
