#include "setup/apache.h"

#include <fnmatch.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "base/text.h"
#include "setup/files.h"
#include "setup/step.h"
#include "setup/units.h"

namespace setup {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPrivateNginx = "ratingd-nginx.service";

// Splits "text" into lines, which include their line feeds. If a line ends with a backslash, the
// next line is appended to it.
std::vector<std::string> apache_lines(std::string_view text) {
  std::vector<std::string> lines;
  bool continues = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    if (continues) {
      lines.back() += line;
    } else {
      lines.emplace_back(line);
    }
    const std::string_view content = base::trim_like_php(line);
    continues = content.ends_with('\\');
    text.remove_prefix(end);
  }
  return lines;
}

// Returns the words in a line of Apache's configuration, without quotes. The first word is the name
// of the directive, in lower case. If the line is a comment, returns no words.
std::vector<std::string> apache_words(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream stream(base::replace_all(base::replace_all(line, "\"", " "), "\\\n", " "));
  for (std::string word; stream >> word;) words.push_back(word);
  if (words.empty() || words.front().starts_with('#')) return {};
  words.front() = base::to_lower(words.front());
  return words;
}

// Returns the host in the value of a ServerName or ServerAlias directive, in lower case. A
// ServerName may contain a scheme and a port.
std::string host_in(std::string name) {
  if (const std::size_t scheme = name.find("://"); scheme != std::string::npos) {
    name.erase(0, scheme + 3);
  }
  name.erase(std::min(name.find(':'), name.size()));
  return base::to_lower(name);
}

bool names_host(const std::string& name, std::string_view host) {
  return fnmatch(host_in(name).c_str(), base::to_lower(host).c_str(), 0) == 0;
}

bool is_apache_line(const std::vector<std::string>& words) {
  return words.size() == 2 && words.front().starts_with("include") && words.back() == kApacheFile;
}

// The lines of a <VirtualHost> block, from "begin" up to, but not including, "end".
struct VirtualHost {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool has_line = false;
  bool has_exact_name = false;              // a name without wildcards matches the host
  std::vector<std::string> addresses = {};  // such as "*:443"; without a port, for all ports
};

// Returns the <VirtualHost> blocks that serve "host".
std::vector<VirtualHost> hosts_serving(const std::vector<std::string>& lines,
                                       std::string_view host) {
  std::vector<VirtualHost> found;
  VirtualHost current;
  bool is_named = false;
  bool has_root = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string> words = apache_words(lines[i]);
    if (words.empty()) continue;
    const std::string& directive = words.front();
    if (directive.starts_with("<virtualhost")) {
      current = {.begin = i, .addresses = {words.begin() + 1, words.end()}};
      is_named = has_root = false;
    } else if (directive == "servername" || directive == "serveralias") {
      for (auto name = words.begin() + 1; name != words.end(); ++name) {
        is_named |= names_host(*name, host);
        current.has_exact_name |= host_in(*name) == base::to_lower(host);
      }
    } else if (directive == "documentroot") {
      has_root = true;
    } else if (is_apache_line(words)) {
      current.has_line = true;
    } else if (directive.starts_with("</virtualhost") && is_named && has_root) {
      current.end = i;
      found.push_back(current);
    }
  }
  return found;
}

// Returns whether an address in <VirtualHost ADDRESS...> has the port "port" or no port.
bool listens_on(const VirtualHost& block, unsigned port) {
  return std::ranges::any_of(block.addresses, [&](const std::string& address) {
    const std::string_view text = std::string_view(address).substr(0, address.find('>'));
    const std::size_t colon = text.find(':', text.rfind(']') + 1);  // npos + 1 is 0
    if (colon == std::string_view::npos || text.substr(colon) == ":*") return true;
    return base::parse_number<unsigned>(text.substr(colon + 1)) == port;
  });
}

std::vector<std::string> missing_modules(const fs::path& root) {
  std::vector<std::string> missing;
  for (const char* module : {"env", "headers", "proxy", "proxy_http", "rewrite"}) {
    const fs::path file = root / "etc/apache2/mods-enabled" / (std::string(module) + ".load");
    if (!fs::exists(file)) missing.emplace_back(module);
  }
  return missing;
}

void run_with_modules(std::vector<std::string> words, const std::vector<std::string>& modules) {
  words.insert(words.end(), modules.begin(), modules.end());
  must_run(words);
}

// Returns whether the nginx instance behind Apache is active or enabled. "state" must be the
// systemctl command "is-active" or "is-enabled".
bool is_private_nginx(const char* state) {
  return run_program({"systemctl", "--quiet", state, kPrivateNginx}).status == 0;
}

// Enables and starts, or disables and stops, the nginx instance behind Apache. "command" must be
// "enable" or "disable".
void set_private_nginx(const char* command) {
  must_run({"systemctl", command, "--now", kPrivateNginx});
}

void test_apache() {
  const ProgramResult test = run_program({"apache2ctl", "configtest"});
  if (test.status != 0) {
    throw Error("Apache refuses its configuration: " +
                std::string(base::trim_like_php(test.output)));
  }
}

void reload_apache() {
  test_apache();
  if (has_systemd()) {
    must_run({"systemctl", "try-reload-or-restart", "apache2.service"});
  } else {
    must_run({"apache2ctl", "graceful"});
  }
}

}  // namespace

bool apache_serves(std::string_view text, std::string_view host) {
  return !hosts_serving(apache_lines(text), host).empty();
}

bool apache_lacks_line(std::string_view text, std::string_view host, unsigned port) {
  return std::ranges::any_of(hosts_serving(apache_lines(text), host), [&](const VirtualHost& each) {
    return each.has_exact_name && !each.has_line && listens_on(each, port);
  });
}

bool has_apache_line(std::string_view text) {
  return std::ranges::any_of(apache_lines(text), is_apache_line, apache_words);
}

std::string with_apache_line(std::string_view text, std::string_view host) {
  const std::vector<std::string> lines = apache_lines(text);
  const std::vector<VirtualHost> hosts = hosts_serving(lines, host);
  if (hosts.empty()) {
    throw Error("no <VirtualHost> with a DocumentRoot has the ServerName or ServerAlias " +
                std::string(host));
  }
  std::string edited;
  auto host_here = hosts.begin();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    edited += lines[i];
    for (; host_here != hosts.end() && host_here->begin == i; ++host_here) {
      // Use IncludeOptional, so that Apache still starts after ratingd's package has been purged.
      if (!host_here->has_line) {
        edited.append("    IncludeOptional ").append(kApacheFile).append("\n");
      }
    }
  }
  return edited;
}

std::string without_apache_line(std::string_view text) {
  std::string edited;
  for (const std::string& line : apache_lines(text)) {
    if (!is_apache_line(apache_words(line))) edited += line;
  }
  return edited;
}

std::vector<fs::path> files_of_virtual_hosts(std::string_view text) {
  // Example line: "port 443 namevhost example.org (/etc/apache2/sites-enabled/example.org.conf:1)".
  static const std::regex place(R"(\((/[^\n]+):\d+\)\n)");
  std::set<fs::path> files;
  const std::string dump(text);
  for (std::sregex_iterator found(dump.begin(), dump.end(), place), end; found != end; ++found) {
    files.insert((*found)[1].str());
  }
  return {files.begin(), files.end()};
}

std::vector<fs::path> apache_files() {
  const ProgramResult hosts = run_program({"apache2ctl", "-t", "-D", "DUMP_VHOSTS"});
  std::set<fs::path> files;
  for (const fs::path& file : files_of_virtual_hosts(hosts.output)) {
    if (is_there(file)) files.insert(real_path(file));
  }
  for (const fs::path& entry : entries_of("/etc/apache2/sites-enabled")) {
    if (entry.extension() == ".conf" && is_there(entry)) files.insert(real_path(entry));
  }
  return {files.begin(), files.end()};
}

Step enable_apache_modules(const fs::path& root) {
  const std::vector<std::string> modules = missing_modules(root);
  if (modules.empty()) return {};
  return {{"enable Apache's modules " + base::joined(modules)},
          [=] {
            run_with_modules({"a2enmod", "-q"}, modules);
          },
          [=] {
            run_with_modules({"a2dismod", "-q", "-f"}, modules);
          }};
}

Step start_private_nginx() {
  if (is_private_nginx("is-active") && is_private_nginx("is-enabled")) return {};
  return {{std::string("enable and start ") + kPrivateNginx + ", a private nginx for Apache"},
          [] { set_private_nginx("enable"); },
          [] { set_private_nginx("disable"); }};
}

Step stop_private_nginx() {
  if (!is_private_nginx("is-active") && !is_private_nginx("is-enabled")) return {};
  return {{std::string("stop and disable ") + kPrivateNginx},
          [] { set_private_nginx("disable"); },
          [] { set_private_nginx("enable"); }};
}

Step edit_apache(const fs::path& file, const std::string& content, const std::string& action) {
  Steps steps = with_reload({edit_file(file, content, action)}, reload_apache);
  // Test the configuration before the change, because undoing the change cannot repair a
  // configuration that was already invalid.
  steps.insert(steps.begin(), {.actions = {"test"}, .apply = test_apache, .undo = {}});
  return as_one(steps, {action});
}

}  // namespace setup
