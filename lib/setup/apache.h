#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "setup/step.h"

// DESIGN. Where Apache has the ports, it passes requests for ratingd to a private nginx
// (docs/apache.md). Apache's files have one directive on each line, and a <VirtualHost> is in no
// other one: lines are all that has to be understood to add one to it.

namespace setup {

// What the virtual hosts of a site include.
inline constexpr std::string_view kApacheFile = "/etc/ratingd/apache/ratingd.conf";

// Whether a <VirtualHost> of the text serves "host" from a DocumentRoot: by its ServerName or a
// ServerAlias, which may have the wildcards * and ?. Those that only redirect do not serve it.
[[nodiscard]] bool apache_serves(std::string_view text, std::string_view host);

// Whether the text includes kApacheFile.
[[nodiscard]] bool has_apache_line(std::string_view text);

// The text with the line that includes kApacheFile at the beginning of each <VirtualHost> that
// serves "host" and has none. Errors: Error - none serves it.
[[nodiscard]] std::string with_apache_line(std::string_view text, std::string_view host);

// The text without these lines.
[[nodiscard]] std::string without_apache_line(std::string_view text);

// The files of virtual hosts that "apache2ctl -t -D DUMP_VHOSTS" names in its output.
[[nodiscard]] std::vector<std::filesystem::path> files_of_virtual_hosts(std::string_view text);

// The files that Apache reads virtual hosts from, with links followed, in alphabetical order; while
// its configuration has a mistake, those in its folder sites-enabled.
[[nodiscard]] std::vector<std::filesystem::path> apache_files();

// Enables the modules that kApacheFile requires. Undone, those that it enabled are disabled.
[[nodiscard]] Step enable_apache_modules(const std::filesystem::path& root = "/");

// Enables and starts the private nginx. REQUIRES: has_systemd().
[[nodiscard]] Step start_private_nginx();

// Stops and disables it, if it runs or is enabled. REQUIRES: has_systemd().
[[nodiscard]] Step stop_private_nginx();

// Gives a file of Apache's a new content, tests the configuration (apache2ctl configtest) before
// and after, and reloads it gracefully. Undone, Apache reads the file as it was. Errors of the
// step: Error - what Apache says.
[[nodiscard]] Step edit_apache(const std::filesystem::path& file, const std::string& content,
                               const std::string& action);

}  // namespace setup
