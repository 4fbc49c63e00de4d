#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "admin/arguments.h"
#include "config/config.h"
#include "setup/site.h"

namespace admin {

// What the operator wants of "ratingctl setup".
struct SetupRequest {
  setup::Site site;
  std::filesystem::path wp_config;  // empty: to be found
  std::filesystem::path nginx;      // the file to edit; empty: none
  std::string base_path;            // empty: by the site's address
  std::string blog_id;              // empty: 1
  bool is_removal = false;
  bool is_for_units = false;  // only to write the units of the site again
  bool is_dry = false;
  bool is_agreed = false;
};

// Errors: config::Error - flags that make no sense, or not together.
[[nodiscard]] SetupRequest setup_request(const Flags& flags);

// The configuration that a program would read with these arguments, from the files and the
// environment. Errors: config::Error.
[[nodiscard]] config::Config read_configuration(const std::vector<std::string>& arguments);

// The same, of a file of a site that is set up. Errors: config::Error - also if it has other values
// than setup has recorded.
[[nodiscard]] config::Config read_recorded(const std::string& file);

// The workers' configuration of a site as it is on this host. Its password may be missing.
// Errors: config::Error.
[[nodiscard]] config::Config read_site(const setup::Site& site);

// The wp-config.php of the site: the one that it is set up with, the requested one, or the only one
// found that no other site of this host has. Errors: config::Error - none or several; it lists
// them.
[[nodiscard]] std::filesystem::path wp_config_of(const SetupRequest& request);

// The other sites of this host that are set up.
[[nodiscard]] std::vector<setup::Site> other_sites(const setup::Site& site);

}  // namespace admin
