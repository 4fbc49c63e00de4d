#pragma once

#include <filesystem>
#include <string>

#include "config/config.h"

namespace config {

// DESIGN. On a host with several customers, wp-config.php belongs to one of them, and it names the
// server, the database and the table prefix that ratingd uses with rights of its own. So "ratingctl
// setup" checks that they are the site's (lib/setup/proof.h), and records them beside the link to
// wp-config.php that the configuration file names, where only root writes. Programs that read this
// configuration file refuse other values. Without a record, as before 0.2.1, nothing is compared.

// What there is to record of a configuration: a line for each value.
[[nodiscard]] std::string site_lines(const Config& config);

// The file with the record, beside the link.
[[nodiscard]] std::filesystem::path record_beside(const std::filesystem::path& wp_config);

// The text of the file before anything was checked: programs use no site then.
[[nodiscard]] std::string empty_record();

// The text of the file for this configuration.
[[nodiscard]] std::string record_of(const Config& config);

// The command that records them again, with the name of the site.
[[nodiscard]] std::string setup_command(const Config& config);

// Errors: Error - the record has other values than the configuration, or cannot be read;
// PermissionDenied.
void require_recorded_site(const Config& config);

}  // namespace config
