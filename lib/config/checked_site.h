#pragma once

#include <filesystem>
#include <string>

#include "config/config.h"

namespace config {

// DESIGN. On a host with several customers, wp-config.php belongs to a customer. ratingd uses its
// own permissions to access the database server, the database and the tables that wp-config.php
// names. For this reason, "ratingctl setup" checks that these values belong to the site
// (lib/setup/proof.h). Setup records the values in ratingd's folder for the site, where only root
// can write. Programs that read one of the site's configuration files refuse values that differ
// from the record. If a site has no record because it was set up before version 0.2.1, no values
// are compared.

// Returns the values to record for a configuration, one value on each line.
[[nodiscard]] std::string site_lines(const Config& config);

// Returns the path of the record for a configuration file. The record is the file "checked-site" in
// the folder of ratingd.conf or ratingctl.conf. For sites/NAME.conf, the record is in the folder
// sites/NAME.
[[nodiscard]] std::filesystem::path record_for(const std::filesystem::path& configuration);

// Returns the content of the record for a site whose values setup has not checked yet. An empty
// record makes programs refuse every configuration.
[[nodiscard]] std::string empty_record();

// Returns the content of the file "checked-site" for a configuration.
[[nodiscard]] std::string record_of(const Config& config);

// Returns the command "ratingctl WORDS", with the option --site if the configuration is for a named
// site.
[[nodiscard]] std::string command_for(const Config& config, const std::string& words);

// Returns the "ratingctl setup" command that records the site's values again.
[[nodiscard]] std::string setup_command(const Config& config);

// Compares the configuration with the record for its site. Throws Error if the values differ or the
// record cannot be read. Throws PermissionDenied if this user may not read the record.
void require_recorded_site(const Config& config);

}  // namespace config
