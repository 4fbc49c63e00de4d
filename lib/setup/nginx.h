#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "setup/nginx_conf.h"
#include "setup/step.h"

namespace setup {

// A file in nginx's configuration. If the file cannot be parsed, "directives" is empty. In this
// case, "nginx -t" reports the mistake.
struct NginxFile {
  std::filesystem::path path;
  std::vector<NginxDirective> directives;
};

// Returns nginx.conf, the files in Debian's folders conf.d and sites-enabled, and the files that
// these files include, without duplicates. Links are followed.
[[nodiscard]] std::vector<NginxFile> nginx_files(const std::filesystem::path& root = "/");

// Returns the members of nginx_files() that include one of the two files.
[[nodiscard]] std::vector<std::filesystem::path> nginx_files_with(
    const NginxIncludes& lines, const std::filesystem::path& root = "/");

struct NginxEdit {
  std::filesystem::path file;
  std::string content;
};

// Edits the files and reloads nginx. nginx tests its configuration before and after the edits
// (nginx -t). Undo restores the files and reloads nginx. Errors (the step): Error - nginx rejects
// the configuration (with nginx's message), nginx does not read an edited file, or nginx still
// reads a file in "unread".
[[nodiscard]] Step edit_nginx(const std::vector<NginxEdit>& edits, std::vector<std::string> actions,
                              const std::vector<std::filesystem::path>& unread = {});

// Applies the steps "writes", which write "files". If nginx reads any of these files, tests the
// configuration and reloads nginx. Undo restores the files and reloads nginx. Errors (the step):
// Error - nginx rejects the configuration (with nginx's message).
[[nodiscard]] Step write_nginx_files(Steps writes, const std::vector<std::filesystem::path>& files);

// Returns the members of "files" that nginx reads, according to nginx itself. Returns no files if
// nginx is not installed or its configuration is invalid.
[[nodiscard]] std::vector<std::filesystem::path> read_by_nginx(
    const std::vector<std::filesystem::path>& files);

}  // namespace setup
