#include "setup/nginx.h"

#include <glob.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <thread>

#include "base/text.h"
#include "setup/files.h"
#include "setup/step.h"

namespace setup {
namespace fs = std::filesystem;
namespace {

// nginx can take many seconds to load a configuration with many TLS hosts.
constexpr std::chrono::seconds kReloadWait{60};
constexpr std::chrono::milliseconds kPause{20};

std::string first_line_of(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line, '\n');
  return line;
}

std::vector<NginxDirective> directives_in(const fs::path& file) {
  try {
    return parse_nginx(content_of(file).value_or(""));
  } catch (const Error&) {
    return {};
  }
}

// Returns the path of the PID file of the nginx master process.
fs::path pid_file() {
  fs::path file = "/run/nginx.pid";
  for (const NginxDirective& each : directives_in("/etc/nginx/nginx.conf")) {
    if (each.is("pid") && each.words.size() == 2) file = each.words[1];
  }
  return file;
}

// Returns the nginx processes that accept new connections. Omits nginx processes that are shutting
// down, and processes of other nginx servers, for example in containers.
std::set<std::string> serving_processes() {
  std::set<std::string> found;
  const std::string first = first_line_of(pid_file());
  std::ifstream children("/proc/" + first + "/task/" + first + "/children");
  for (std::string child; children >> child;) {
    const std::string name = first_line_of("/proc/" + child + "/cmdline");
    if (name.starts_with("nginx: worker process") &&
        name.find("shutting down") == std::string::npos) {
      found.insert(child);
    }
  }
  return found;
}

bool names_file(const std::string& dump, const fs::path& file) {
  return dump.find("# configuration file " + file.string() + ":") != std::string::npos;
}

// Returns whether nginx reads the file, either directly or through a link in sites-enabled.
bool is_read(const fs::path& file, const std::string& dump) {
  return std::ranges::count(nginx_files(), file, &NginxFile::path) > 0 || names_file(dump, file);
}

void test_nginx() { must_run({"nginx", "-t", "-q"}); }

// Checks that nginx accepts its configuration and reads all edited files. Also checks that nginx no
// longer reads the files in "unread".
void test_edits(const std::vector<NginxEdit>& edits, const std::vector<fs::path>& unread) {
  const ProgramResult result = run_program({"nginx", "-T", "-q"});
  if (result.status != 0) {
    throw Error("nginx refuses the new lines: " + std::string(base::trim_like_php(result.output)));
  }
  for (const NginxEdit& edit : edits) {
    if (is_read(fs::canonical(edit.file), result.output)) continue;
    throw Error("nginx does not read " + edit.file.string() +
                "; link it in /etc/nginx/sites-enabled, then repeat this command");
  }
  for (const fs::path& file : unread) {
    if (!names_file(result.output, file)) continue;
    throw Error("nginx would still read " + file.string() +
                ". Remove the line that includes it by hand, then repeat this command.");
  }
}

// Reloads nginx and waits until new processes serve all requests.
void reload_nginx() {
  const std::set<std::string> before = serving_processes();
  if (before.empty()) return;
  must_run({"nginx", "-s", "reload"});
  const auto still_serves = [&] {
    const std::set<std::string> now = serving_processes();
    return now.empty() || std::ranges::any_of(before, [&](const std::string& process) {
             return now.contains(process);
           });
  };
  for (auto waited = kPause * 0; still_serves(); waited += kPause) {
    if (waited > kReloadWait) {
      throw Error("nginx -s reload did not finish within " + std::to_string(kReloadWait.count()) +
                  " s. If nginx rejected its configuration, /var/log/nginx/error.log says why.");
    }
    std::this_thread::sleep_for(kPause);
  }
}

// Adds to "files" the files that match "pattern", and all files that the matching files include.
// Works like ngx_conf_include in nginx (src/core/ngx_conf_file.c).
void add_files(const fs::path& root, const std::string& pattern, std::vector<NginxFile>& files) {
  const fs::path absolute = fs::path("/etc/nginx") / pattern;
  glob_t matches{};
  glob((root / absolute.relative_path()).c_str(), 0, nullptr, &matches);
  const std::vector<std::string> names(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  globfree(&matches);
  for (const std::string& name : names) {
    std::error_code error;
    const fs::path file = fs::canonical(name, error);
    if (error || !fs::is_regular_file(file, error)) continue;
    if (std::ranges::count(files, file, &NginxFile::path) > 0) continue;
    files.push_back({file, directives_in(file)});
    for (const std::string& each : included(files.back().directives)) {
      add_files(root, each, files);
    }
  }
}

}  // namespace

std::vector<NginxFile> nginx_files(const fs::path& root) {
  std::vector<NginxFile> files;
  // Search conf.d and sites-enabled even if nginx.conf does not seem to include them, because the
  // parser may fail to parse nginx.conf.
  for (const char* name : {"nginx.conf", "conf.d/*.conf", "sites-enabled/*"}) {
    add_files(root, name, files);
  }
  return files;
}

std::string nginx_account() {
  const ProgramResult options = run_program({"nginx", "-V"});
  if (options.status != 0) return "";
  const ProgramResult dump = run_program({"nginx", "-T", "-q"});
  std::string account = account_in_configuration(
      dump.status == 0 ? dump.output : content_of("/etc/nginx/nginx.conf").value_or(""));
  if (account.empty()) account = account_compiled_in(options.output);
  return account.empty() ? "www-data" : account;
}

std::string account_in_configuration(std::string_view dump) {
  while (!dump.empty()) {
    const std::string_view line = base::trim(base::take_until(dump, '\n'));
    if (!line.starts_with("user ") && !line.starts_with("user\t")) continue;
    try {
      const std::vector<std::string> words = parse_nginx(line).front().words;
      if (words.size() > 1) return words[1];
    } catch (const Error&) {
      // This line of a file in an unknown format is not a directive.
    }
  }
  return "";
}

std::string account_compiled_in(std::string_view options) {
  constexpr std::string_view kOption = " --user=";
  const std::size_t found = options.find(kOption);
  if (found == std::string_view::npos) return "";
  options.remove_prefix(found + kOption.size());
  return std::string(base::take_until(options, " \n"));
}

std::vector<fs::path> nginx_files_with(const NginxIncludes& lines, const fs::path& root) {
  std::vector<fs::path> found;
  for (const NginxFile& file : nginx_files(root)) {
    if (includes(file.directives, lines.upstream) || includes(file.directives, lines.server)) {
      found.push_back(file.path);
    }
  }
  return found;
}

Step edit_nginx(const std::vector<NginxEdit>& edits, std::vector<std::string> actions,
                const std::vector<fs::path>& unread) {
  Steps steps;
  for (const NginxEdit& edit : edits) {
    steps.push_back(edit_file(edit.file, edit.content, "edit " + edit.file.string()));
  }
  if (actions_of(steps).empty()) return {};
  steps.push_back({{"test"}, [=] { test_edits(edits, unread); }, {}});
  steps = with_reload(std::move(steps), reload_nginx);
  // Test the configuration before the edits, because undoing the edits cannot repair a
  // configuration that was already invalid.
  steps.insert(steps.begin(), {{"test"}, test_nginx, {}});
  return as_one(steps, std::move(actions));
}

Step write_nginx_files(Steps writes, const std::vector<fs::path>& files) {
  std::vector<std::string> actions = actions_of(writes);
  const bool is_read = std::ranges::any_of(nginx_files(), [&](const NginxFile& each) {
    return std::ranges::count(files, each.path) > 0;
  });
  if (!is_read || actions.empty()) return as_one(writes, std::move(actions));
  actions.emplace_back("reload nginx, which reads these files, after nginx -t");
  writes.push_back({{"test"}, test_nginx, {}});
  return as_one(with_reload(std::move(writes), reload_nginx), std::move(actions));
}

std::vector<fs::path> read_by_nginx(const std::vector<fs::path>& files) {
  std::vector<fs::path> found;
  const ProgramResult result = run_program({"nginx", "-T", "-q"});
  if (result.status != 0) return found;
  std::ranges::copy_if(files, std::back_inserter(found),
                       [&](const fs::path& file) { return names_file(result.output, file); });
  return found;
}

}  // namespace setup
