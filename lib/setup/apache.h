#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "setup/step.h"

// DESIGN. On hosts where Apache is the public web server, Apache passes requests for ratingd to a
// private nginx instance (docs/apache.md). Apache's configuration files contain one directive per
// line, and <VirtualHost> blocks are never nested, so setup can edit these blocks without a full
// parser.

namespace setup {

// The Apache configuration file included by a site's <VirtualHost> blocks.
inline constexpr std::string_view kApacheFile = "/etc/ratingd/apache/ratingd.conf";

// Returns whether the Apache configuration "text" contains a <VirtualHost> block with a
// DocumentRoot for "host". A block serves "host" only if "host" matches its ServerName or a
// ServerAlias, which may contain the wildcards * and ?. A <VirtualHost> block that only redirects
// does not serve the host.
[[nodiscard]] bool apache_serves(std::string_view text, std::string_view host);

// Returns whether a <VirtualHost> block in the Apache configuration "text" serves "host" on the
// port "port" and does not include kApacheFile. Ignores blocks in which only a name with a wildcard
// matches "host", because they may belong to another site.
[[nodiscard]] bool apache_lacks_line(std::string_view text, std::string_view host, unsigned port);

// Returns whether the Apache configuration "text" includes kApacheFile.
[[nodiscard]] bool has_apache_line(std::string_view text);

// Returns the text after adding an include line for kApacheFile to each <VirtualHost> block that
// serves "host" and does not contain such a line yet. Throws setup::Error if no <VirtualHost> block
// serves "host".
[[nodiscard]] std::string with_apache_line(std::string_view text, std::string_view host);

// Returns the text without the lines that include kApacheFile.
[[nodiscard]] std::string without_apache_line(std::string_view text);

// Returns the paths of the virtual host files listed in the output of "apache2ctl -t -D
// DUMP_VHOSTS".
[[nodiscard]] std::vector<std::filesystem::path> files_of_virtual_hosts(std::string_view text);

// Returns the files from which Apache reads virtual hosts, in alphabetical order. Follows links.
// Also returns the files in the directory sites-enabled, because Apache lists no files if its
// configuration is invalid.
[[nodiscard]] std::vector<std::filesystem::path> apache_files();

// Enables the Apache modules that kApacheFile requires. Undoing the step disables the modules
// enabled by the step.
[[nodiscard]] Step enable_apache_modules(const std::filesystem::path& root = "/");

// Enables and starts the nginx instance behind Apache. The host must use systemd.
[[nodiscard]] Step start_private_nginx();

// Stops and disables the nginx instance behind Apache. The host must use systemd.
[[nodiscard]] Step stop_private_nginx();

// Replaces the content of an Apache configuration file and reloads Apache gracefully. Tests the
// configuration before and after the change with "apache2ctl configtest". If the step is undone,
// the file is restored and Apache is reloaded. If Apache rejects the changed configuration, the
// step throws setup::Error with Apache's error message.
[[nodiscard]] Step edit_apache(const std::filesystem::path& file, const std::string& content,
                               const std::string& action);

}  // namespace setup
