#pragma once

#include <filesystem>
#include <string>

#include "config/config.h"

namespace config {

// DESIGN. On a host with several customers, wp-config.php belongs to one of them, and it names the
// server, the database and the table prefix that ratingd uses with rights of its own. So "ratingctl
// setup" checks that they are the site's (lib/setup/proof.h), and records them in ratingd's own
// folder of the site, where only root writes. Programs that read a configuration file of the site
// refuse other values. Without a record, as before 0.2.1, nothing is compared.

// What there is to record of a configuration: a line for each value.
[[nodiscard]] std::string site_lines(const Config& config);

// The file with the record for a configuration file: "checked-site" in the folder of ratingd.conf
// or ratingctl.conf; for sites/NAME.conf in sites/NAME.
[[nodiscard]] std::filesystem::path record_for(const std::filesystem::path& configuration);

// The text of the file before anything was checked: programs use no site then.
[[nodiscard]] std::string empty_record();

// The text of the file for this configuration.
[[nodiscard]] std::string record_of(const Config& config);

// "ratingctl WORDS" for the site of the configuration, with the name of the site.
[[nodiscard]] std::string command_for(const Config& config, const std::string& words);

// The command that records the values again.
[[nodiscard]] std::string setup_command(const Config& config);

// Errors: Error - the record has other values than the configuration, or cannot be read;
// PermissionDenied.
void require_recorded_site(const Config& config);

}  // namespace config
