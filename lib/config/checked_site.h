#pragma once

#include <filesystem>
#include <string>

#include "config/config.h"

namespace config {

// DESIGN. On a host with several customers, a customer could write the name of another customer's
// database to wp-config.php, and ratingd would use its own permissions to access this database. The
// command "ratingctl setup" therefore checks that the server, the database and the tables in
// wp-config.php belong to the site (lib/setup/proof.h). Setup records the checked values in a
// folder that only root can write to. Programs that read one of the site's configuration files
// reject values that differ from the record. Values are not compared for a site that was set up
// before version 0.2.1 and has no record.

// Returns the values to record for a configuration, one value on each line.
[[nodiscard]] std::string site_lines(const Config& config);

// Returns the path of the record with the checked values for a configuration file. The record is
// the "checked-site" file in the folder of ratingd.conf or ratingctl.conf. For sites/NAME.conf, the
// record is in the folder sites/NAME.
[[nodiscard]] std::filesystem::path record_for(const std::filesystem::path& configuration);

// Returns the content of the record for a site that "ratingctl setup" has not checked yet. An empty
// record makes programs reject every configuration.
[[nodiscard]] std::string empty_record();

// Returns the content of the "checked-site" file for a configuration.
[[nodiscard]] std::string record_of(const Config& config);

// Returns the command "ratingctl WORDS", with the option --site if the configuration is for a named
// site.
[[nodiscard]] std::string command_for(const Config& config, const std::string& words);

// Returns the "ratingctl setup" command that records the site's values again.
[[nodiscard]] std::string setup_command(const Config& config);

// Compares the configuration with the record for its site. Throws Error if the values differ or the
// record cannot be read. Throws PermissionDenied if the current user may not read the record.
void require_recorded_site(const Config& config);

}  // namespace config
