#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "setup/nginx_conf.h"
#include "setup/step.h"

namespace setup {

// The files of nginx's configuration: nginx.conf, Debian's folders conf.d and sites-enabled, and
// what these files include. Links are followed; each file once.
[[nodiscard]] std::vector<std::filesystem::path> nginx_files(
    const std::filesystem::path& root = "/");

// Those of nginx_files() that include one of the two files, or that serve "host". Files that cannot
// be parsed are left out.
[[nodiscard]] std::vector<std::filesystem::path> nginx_files_with(
    const NginxIncludes& lines, const std::filesystem::path& root = "/");
[[nodiscard]] std::vector<std::filesystem::path> nginx_files_for(
    const std::string& host, const std::filesystem::path& root = "/");

// Where nginx listens for the site, by these files: listens() of each.
[[nodiscard]] std::vector<NginxListen> nginx_listens(const NginxIncludes& lines,
                                                     const std::string& host,
                                                     const std::filesystem::path& root = "/");

// A new content for a file of nginx's.
struct NginxEdit {
  std::filesystem::path file;
  std::string content;
};

// Edits the files and lets nginx reload, after it has tested them (nginx -t) on a copy of its
// configuration, /etc/nginx. Undone, nginx reads the files as they were. Errors of the step: Error
// - what nginx says, that it does not read a file, or that it still reads one of "unread".
[[nodiscard]] Step edit_nginx(const std::vector<NginxEdit>& edits, std::vector<std::string> actions,
                              const std::vector<std::filesystem::path>& unread = {});

// Applies these steps, which write "files". If nginx reads one of them, it tests them and reloads.
// Undone, nginx reads the files as they were. Errors of the step: Error - what nginx says.
[[nodiscard]] Step write_nginx_files(const Steps& writes,
                                     const std::vector<std::filesystem::path>& files);

// Those of "files" that nginx itself says to read; none if it is not installed or its configuration
// is not valid.
[[nodiscard]] std::vector<std::filesystem::path> read_by_nginx(
    const std::vector<std::filesystem::path>& files);

}  // namespace setup
