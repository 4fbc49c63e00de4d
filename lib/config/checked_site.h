#pragma once

#include <filesystem>
#include <string>

#include "config/config.h"

namespace config {

// DESIGN. On a host with several customers, wp-config.php belongs to a customer. It names the
// server, the database and the table prefix that ratingd uses with its own permissions. So
// "ratingctl setup" checks that these values belong to the site (lib/setup/proof.h). It records the
// values in ratingd's folder for the site, where only root can write. Programs that read one of the
// site's configuration files refuse values that differ from the record. Setup before version 0.2.1
// wrote no record. If there is no record, nothing is compared.

// Returns the values that are recorded for a configuration, one line for each value.
[[nodiscard]] std::string site_lines(const Config& config);

// Returns the path of the record for a configuration file. It is "checked-site" in the folder of
// ratingd.conf or ratingctl.conf. For sites/NAME.conf, it is in the folder sites/NAME.
[[nodiscard]] std::filesystem::path record_for(const std::filesystem::path& configuration);

// Returns the record for a site that has not been checked yet. With this record, programs refuse
// every configuration.
[[nodiscard]] std::string empty_record();

// Returns the record for this configuration.
[[nodiscard]] std::string record_of(const Config& config);

// Returns the command "ratingctl WORDS", with the option --site if the configuration is for a named
// site.
[[nodiscard]] std::string command_for(const Config& config, const std::string& words);

// Returns the command that records the values again.
[[nodiscard]] std::string setup_command(const Config& config);

// Compares the configuration with its site's record. Errors: Error - the values differ, or the
// record cannot be read; PermissionDenied.
void require_recorded_site(const Config& config);

}  // namespace config
