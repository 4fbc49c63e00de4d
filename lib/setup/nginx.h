#pragma once

#include <filesystem>
#include <string>
#include <string_view>
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

// Returns the nginx configuration files that include the file "lines.upstream" or the file
// "lines.server".
[[nodiscard]] std::vector<std::filesystem::path> nginx_files_with(
    const NginxIncludes& lines, const std::filesystem::path& root = "/");

// Returns the account of nginx's worker processes: the "user" directive in nginx's configuration,
// or the account with which nginx was compiled. If nginx names no account, returns "www-data", as
// in Debian. If nginx is not installed, the result is empty.
[[nodiscard]] std::string nginx_account();

// Return the account in the "user" directive in the output of "nginx -T", or the --user option in
// the output of "nginx -V". The result is empty if there is no account.
[[nodiscard]] std::string account_in_configuration(std::string_view dump);
[[nodiscard]] std::string account_compiled_in(std::string_view options);

struct NginxEdit {
  std::filesystem::path file;
  std::string content;
};

// Edits configuration files and reloads nginx. Tests the configuration before and after the edits
// (nginx -t). The undo function restores the files and reloads nginx. If nginx rejects the
// configuration, the step throws setup::Error with the message from nginx. The step also throws
// setup::Error if nginx still reads a file in "unread" after the edits, or does not read an edited
// file.
[[nodiscard]] Step edit_nginx(const std::vector<NginxEdit>& edits, std::vector<std::string> actions,
                              const std::vector<std::filesystem::path>& unread = {});

// Returns a step that applies all steps in "writes". "files" contains the paths of the files that
// these steps write. If nginx reads any of the written files, the step also tests the configuration
// and reloads nginx. The undo function restores the files and reloads nginx. If nginx rejects the
// configuration, the step throws setup::Error with the message from nginx.
[[nodiscard]] Step write_nginx_files(Steps writes, const std::vector<std::filesystem::path>& files);

// Returns the files in "files" that nginx itself reports as part of its configuration. Returns no
// files if nginx is not installed or its configuration is invalid.
[[nodiscard]] std::vector<std::filesystem::path> read_by_nginx(
    const std::vector<std::filesystem::path>& files);

}  // namespace setup
