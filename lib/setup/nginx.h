#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "setup/nginx_conf.h"
#include "setup/step.h"

namespace setup {

// A file in the nginx configuration. If the file cannot be parsed, "directives" is empty, and
// "nginx -t" reports the error.
struct NginxFile {
  std::filesystem::path path;
  std::vector<NginxDirective> directives;
};

// Returns nginx.conf, the files in Debian's folders conf.d and sites-enabled, and all included
// files, without duplicates. Follows links.
[[nodiscard]] std::vector<NginxFile> nginx_files(const std::filesystem::path& root = "/");

// Returns the nginx configuration files that include one of the two files in "lines".
[[nodiscard]] std::vector<std::filesystem::path> nginx_files_with(
    const NginxIncludes& lines, const std::filesystem::path& root = "/");

struct NginxEdit {
  std::filesystem::path file;
  std::string content;
};

// Edits configuration files and reloads nginx. Tests the configuration before and after the edits
// (nginx -t). The undo function restores the files and reloads nginx. The step throws setup::Error
// with nginx's message if nginx rejects the configuration. The step also throws setup::Error if
// nginx does not read an edited file, or still reads a file in "unread".
[[nodiscard]] Step edit_nginx(const std::vector<NginxEdit>& edits, std::vector<std::string> actions,
                              const std::vector<std::filesystem::path>& unread = {});

// Applies the steps in "writes", which write "files". If nginx reads any of the written files,
// tests the configuration and reloads nginx. The undo function restores the files and reloads
// nginx. The step throws setup::Error with nginx's message if nginx rejects the configuration.
[[nodiscard]] Step write_nginx_files(Steps writes, const std::vector<std::filesystem::path>& files);

// Returns the files in "files" that nginx itself reports as part of its configuration. Returns no
// files if nginx is not installed or its configuration is invalid.
[[nodiscard]] std::vector<std::filesystem::path> read_by_nginx(
    const std::vector<std::filesystem::path>& files);

}  // namespace setup
