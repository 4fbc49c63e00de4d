#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "setup/nginx_conf.h"
#include "setup/step.h"

namespace setup {

// A file of nginx's configuration. If it cannot be parsed, it has no directives: nginx -t says what
// is wrong with it.
struct NginxFile {
  std::filesystem::path path;
  std::vector<NginxDirective> directives;
};

// nginx.conf, Debian's folders conf.d and sites-enabled, and what these files include. Links are
// followed; each file once.
[[nodiscard]] std::vector<NginxFile> nginx_files(const std::filesystem::path& root = "/");

// Those of nginx_files() that include one of the two files.
[[nodiscard]] std::vector<std::filesystem::path> nginx_files_with(
    const NginxIncludes& lines, const std::filesystem::path& root = "/");

struct NginxEdit {
  std::filesystem::path file;
  std::string content;
};

// Edits the files, lets nginx test its configuration (nginx -t), before and after, and reload.
// Undone, nginx reads the files as they were. Errors of the step: Error - what nginx says, that it
// does not read a file, or that it still reads one of "unread".
[[nodiscard]] Step edit_nginx(const std::vector<NginxEdit>& edits, std::vector<std::string> actions,
                              const std::vector<std::filesystem::path>& unread = {});

// Applies these steps, which write "files". If nginx reads one of them, it tests them and reloads.
// Undone, nginx reads the files as they were. Errors of the step: Error - what nginx says.
[[nodiscard]] Step write_nginx_files(Steps writes, const std::vector<std::filesystem::path>& files);

// Those of "files" that nginx itself says to read; none if it is not installed or its configuration
// is not valid.
[[nodiscard]] std::vector<std::filesystem::path> read_by_nginx(
    const std::vector<std::filesystem::path>& files);

}  // namespace setup
