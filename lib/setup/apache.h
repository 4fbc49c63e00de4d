#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "setup/step.h"

// DESIGN. On hosts where Apache is the public web server, Apache passes requests for ratingd to a
// private nginx (docs/apache.md). Apache's configuration files contain one directive per line, and
// <VirtualHost> blocks are never nested. So setup can add a line to a <VirtualHost> block without a
// full parser.

namespace setup {

// The configuration file that a site's virtual hosts include.
inline constexpr std::string_view kApacheFile = "/etc/ratingd/apache/ratingd.conf";

// Returns whether a <VirtualHost> block in the text serves "host" from a DocumentRoot. "host" must
// match the block's ServerName or a ServerAlias, which may contain the wildcards * and ?. A
// <VirtualHost> block that only redirects does not serve the host.
[[nodiscard]] bool apache_serves(std::string_view text, std::string_view host);

// Returns whether the text includes kApacheFile.
[[nodiscard]] bool has_apache_line(std::string_view text);

// Adds a line that includes kApacheFile to the beginning of each <VirtualHost> block that serves
// "host" and has no such line. Returns the resulting text. Throws setup::Error if no <VirtualHost>
// block serves the host.
[[nodiscard]] std::string with_apache_line(std::string_view text, std::string_view host);

// Returns the text without the lines that include kApacheFile.
[[nodiscard]] std::string without_apache_line(std::string_view text);

// Returns the virtual host files in the output of "apache2ctl -t -D DUMP_VHOSTS".
[[nodiscard]] std::vector<std::filesystem::path> files_of_virtual_hosts(std::string_view text);

// Returns the files from which Apache reads virtual hosts, in alphabetical order. Follows links. If
// Apache's configuration is invalid, returns the files in the folder sites-enabled.
[[nodiscard]] std::vector<std::filesystem::path> apache_files();

// Enables the Apache modules that kApacheFile requires. The undo function disables the modules that
// the step has enabled.
[[nodiscard]] Step enable_apache_modules(const std::filesystem::path& root = "/");

// Enables and starts the private nginx. The host must use systemd.
[[nodiscard]] Step start_private_nginx();

// Stops and disables the private nginx. The host must use systemd.
[[nodiscard]] Step stop_private_nginx();

// Changes the content of an Apache configuration file and reloads Apache gracefully. Tests the
// configuration before and after the change (apache2ctl configtest). The undo function restores the
// file and reloads Apache. The step throws setup::Error with Apache's message if Apache rejects the
// configuration.
[[nodiscard]] Step edit_apache(const std::filesystem::path& file, const std::string& content,
                               const std::string& action);

}  // namespace setup
