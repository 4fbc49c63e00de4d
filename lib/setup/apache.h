#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "setup/step.h"

// DESIGN. On hosts where Apache listens on the web server's ports, Apache passes requests for
// ratingd to a private nginx (docs/apache.md). Apache's files have one directive on each line, and
// a <VirtualHost> is never nested. So setup can add a line to a <VirtualHost> without parsing more
// than
// single lines.

namespace setup {

// The file that a site's virtual hosts include.
inline constexpr std::string_view kApacheFile = "/etc/ratingd/apache/ratingd.conf";

// Returns whether a <VirtualHost> in the text serves "host" from a DocumentRoot. The host must
// match its ServerName or a ServerAlias, which may contain the wildcards * and ?. A <VirtualHost>
// that only redirects does not serve the host.
[[nodiscard]] bool apache_serves(std::string_view text, std::string_view host);

// Returns whether the text includes kApacheFile.
[[nodiscard]] bool has_apache_line(std::string_view text);

// Adds a line that includes kApacheFile to each <VirtualHost> that serves "host" and has no such
// line, and returns the resulting text. The line is added at the beginning of the <VirtualHost>.
// Errors: Error if no <VirtualHost> serves the host.
[[nodiscard]] std::string with_apache_line(std::string_view text, std::string_view host);

// Returns the text without the lines that include kApacheFile.
[[nodiscard]] std::string without_apache_line(std::string_view text);

// Returns the virtual host files in the output of "apache2ctl -t -D DUMP_VHOSTS".
[[nodiscard]] std::vector<std::filesystem::path> files_of_virtual_hosts(std::string_view text);

// Returns the files from which Apache reads virtual hosts, in alphabetical order. Links are
// followed. If Apache's configuration contains a mistake, returns the files in its folder
// sites-enabled.
[[nodiscard]] std::vector<std::filesystem::path> apache_files();

// Enables the modules that kApacheFile requires. Undo disables the modules that this step enabled.
[[nodiscard]] Step enable_apache_modules(const std::filesystem::path& root = "/");

// Enables and starts the private nginx. REQUIRES: has_systemd().
[[nodiscard]] Step start_private_nginx();

// If the private nginx runs or is enabled, stops and disables it. REQUIRES: has_systemd().
[[nodiscard]] Step stop_private_nginx();

// Changes the content of an Apache file and reloads Apache gracefully. The configuration is tested
// before and after the change (apache2ctl configtest). Undo restores the file and reloads Apache.
// Errors (the step): Error - Apache rejects the configuration (with Apache's message).
[[nodiscard]] Step edit_apache(const std::filesystem::path& file, const std::string& content,
                               const std::string& action);

}  // namespace setup
