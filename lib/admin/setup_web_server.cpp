#include <fmt/core.h>

#include <algorithm>

#include "admin/setup_plan.h"
#include "base/origin.h"
#include "base/text.h"
#include "setup/apache.h"
#include "setup/files.h"
#include "setup/nginx.h"
#include "setup/units.h"

namespace admin {
namespace fs = std::filesystem;
namespace {

using setup::Error;

std::string lines_for_nginx(const setup::NginxIncludes& lines) {
  return "  in http { }:    include " + lines.upstream + ";\n  in server { }:  include " +
         lines.server + ";";
}

// Returns the nginx file with the server { } block for the site, or an empty string if no file
// contains such a block. Prefers a file whose block for the site's port lacks ratingd's line.
std::string file_for(const setup::Site& site, const std::string& origin) {
  const std::string_view host = base::host_of(origin);
  const unsigned port = port_of_browsers(origin).port;
  std::string found;
  for (const setup::NginxFile& file : setup::nginx_files()) {
    if (setup::lacks_server_line(file.directives, includes_of(site), host, port)) {
      return file.path.string();
    }
    if (found.empty() && setup::serves(file.directives, host)) found = file.path.string();
  }
  return found;
}

std::string setup_command(const setup::Site& site, const std::string& file) {
  return setup::command_for(site, "setup") + " --nginx " +
         (file.empty() ? "FILE" : base::shell_quoted(file));
}

// Adds a note if Apache passes only requests on other ports to ratingd, for example only requests
// without TLS.
void note_apache_line(SetupPlan& plan, const std::string& origin) {
  const auto files = apache_files_without_line(origin);
  if (files.empty()) return;
  plan.notes.push_back("Apache does not pass requests for the <VirtualHost> in " +
                       files.front().string() + " to ratingd yet. To let setup do this, run: " +
                       setup_with_apache(plan.request.site, origin));
}

void note_nginx_lines(SetupPlan& plan, const std::string& origin) {
  const std::string host(base::host_of(origin));
  const auto lines = includes_of(plan.request.site);
  if (is_behind_apache(plan.request.site)) return note_apache_line(plan, origin);
  if (!setup::nginx_files_with(lines).empty()) return;
  plan.lacks_nginx_lines = true;
  const std::string file = file_for(plan.request.site, origin);
  const std::string by_apache = setup_with_apache(plan.request.site, origin);
  if (file.empty() && !by_apache.empty()) {
    plan.notes.push_back(
        "Apache does not pass requests to ratingd yet. To let setup do this, run: " + by_apache);
    return;
  }
  plan.notes.push_back(
      fmt::format("nginx does not pass requests to ratingd yet. To let setup add these lines to "
                  "{}, run: {}\n{}",
                  file.empty() ? "the file with the server { } of " + host : file,
                  setup_command(plan.request.site, file), lines_for_nginx(lines)));
  if (!by_apache.empty()) plan.notes.push_back("If Apache serves the site, run: " + by_apache);
}

// Returns the step that adds ratingd's line to an Apache file.
setup::Step add_apache_line(const fs::path& file, const std::string& host) {
  const std::string text = setup::content_of(file).value_or("");
  std::string edited;
  try {
    edited = setup::with_apache_line(text, host);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}\nAdd this line by hand: Include {}", file.string(),
                            error.what(), setup::kApacheFile));
  }
  if (edited == text) return {};
  return setup::edit_apache(file, edited,
                            fmt::format("include {} in the site's <VirtualHost> in {}, test it "
                                        "(apache2ctl configtest) and reload Apache",
                                        setup::kApacheFile, file.string()));
}

}  // namespace

setup::NginxListen port_of_browsers(const std::string& origin) {
  const bool is_tls = origin.starts_with("https:");
  const std::size_t end_of_host = origin.find(base::host_of(origin)) + base::host_of(origin).size();
  const auto port = base::parse_number<unsigned>(
      std::string_view(origin).substr(std::min(end_of_host + 1, origin.size())));
  return {port.value_or(is_tls ? 443 : 80), is_tls};
}

setup::NginxIncludes includes_of(const setup::Site& site) {
  return {site.nginx_upstream.string(), site.nginx_server.string()};
}

std::string advice_for_nginx(const setup::Site& site, config::CmsName cms,
                             const std::string& origin) {
  const std::string host(base::host_of(origin));
  const std::string line = "include " + site.nginx_server.string() + ";";
  if (cms == config::CmsName::none && site.name.empty())
    return "Add to its server { } for " + host + ": " + line;
  if (is_behind_apache(site)) {
    const auto files = apache_files_without_line(origin);
    if (files.empty()) {
      return "Apache includes " + std::string(setup::kApacheFile) +
             ". Run: systemctl status ratingd-nginx.service";
    }
    return "Its <VirtualHost> for " + host + " in " + files.front().string() +
           " does not include " + std::string(setup::kApacheFile) +
           ". Run: " + setup_with_apache(site, origin);
  }
  const std::string file = file_for(site, origin);
  if (const std::string command = setup_with_apache(site, origin);
      file.empty() && !command.empty()) {
    return "Let Apache pass requests on. Run: " + command;
  }
  return "Its server { } for " + host + " lacks the line \"" + line +
         "\". Run: " + setup_command(site, file);
}

std::string account_of_web_server(const setup::Site& site) {
  return is_behind_apache(site) ? std::string(setup::kPackagedAccount) : setup::nginx_account();
}

void add_nginx_files(SetupPlan& plan) {
  const setup::Site& site = plan.request.site;
  if (site.name.empty()) return;
  plan.steps.push_back(setup::create_folder(site.nginx_server.parent_path()));
  plan.steps.push_back(setup::write_nginx_files(
      {setup::write_file(site.nginx_upstream, setup::nginx_upstream(site, plan.options), 0644,
                         "for nginx's http { }"),
       setup::write_file(site.nginx_server, setup::nginx_server(site, plan.options), 0644,
                         "for the site's server { }")},
      {site.nginx_upstream, site.nginx_server}));
}

void add_nginx_lines(SetupPlan& plan) {
  const std::string origin = base::origin_of(plan.home).value_or("");
  const std::string host(base::host_of(origin));
  if (!plan.request.apache.empty()) return add_apache(plan, origin);
  const fs::path& file = plan.request.nginx;
  if (file.empty()) return note_nginx_lines(plan, origin);
  const auto text = setup::content_of(file);
  if (!text) throw Error("--nginx: there is no file " + file.string());
  const auto lines = includes_of(plan.request.site);
  const bool has_upstream =
      !setup::nginx_files_with({.upstream = lines.upstream, .server = lines.upstream}).empty();
  std::string edited;
  try {
    edited = setup::with_includes(*text, lines, host, !has_upstream);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}\nAdd the lines by hand:\n{}", file.string(), error.what(),
                            lines_for_nginx(lines)));
  }
  if (edited == *text) return;
  plan.steps.push_back(setup::edit_nginx(
      {{file, edited}},
      {"add to " + file.string() + " the lines below, test them (nginx -t), and reload nginx:\n" +
       lines_for_nginx(lines)}));
}

void remove_nginx_lines(SetupPlan& plan) {
  const setup::Site& site = plan.request.site;
  const auto lines = includes_of(site);
  // The nginx files are removed only for named sites, because sites without a name use the
  // package's files.
  const std::vector<fs::path> unread = site.name.empty()
                                           ? std::vector<fs::path>{}
                                           : std::vector{site.nginx_upstream, site.nginx_server};
  std::vector<setup::NginxEdit> edits;
  std::vector<std::string> actions;
  for (const fs::path& file : setup::nginx_files_with(lines)) {
    const std::string text = setup::content_of(file).value_or("");
    edits.push_back({file, setup::without_includes(text, lines)});
    actions.push_back("remove ratingd's lines from " + file.string() +
                      ", test it (nginx -t), and reload nginx");
  }
  const auto still_read = edits.empty() ? setup::read_by_nginx(unread) : std::vector<fs::path>{};
  if (!still_read.empty()) {
    throw Error("nginx reads " + still_read.front().string() +
                ", but setup found no line that includes this file. Remove the line from nginx's "
                "configuration by hand, then repeat this command.");
  }
  plan.steps.push_back(setup::edit_nginx(edits, actions, unread));
}

// --- Apache --------------------------------------------------------------------------------------

bool is_behind_apache(const setup::Site& site) {
  return site.name.empty() && std::ranges::any_of(setup::apache_files(), [](const fs::path& file) {
           return setup::has_apache_line(setup::content_of(file).value_or(""));
         });
}

std::vector<fs::path> apache_files_without_line(const std::string& origin) {
  const std::string_view host = base::host_of(origin);
  const unsigned port = port_of_browsers(origin).port;
  std::vector<fs::path> files = setup::apache_files();
  std::erase_if(files, [&](const fs::path& file) {
    return !setup::apache_lacks_line(setup::content_of(file).value_or(""), host, port);
  });
  return files;
}

std::string setup_with_apache(const setup::Site& site, const std::string& origin) {
  if (!site.name.empty()) return "";
  std::vector<fs::path> files = apache_files_without_line(origin);
  if (files.empty()) files = setup::apache_files();
  for (const fs::path& file : files) {
    if (!setup::apache_serves(setup::content_of(file).value_or(""), base::host_of(origin)))
      continue;
    return setup::command_for(site, "setup") + " --apache " + base::shell_quoted(file.string());
  }
  return "";
}

void add_apache(SetupPlan& plan, const std::string& origin) {
  const std::string host(base::host_of(origin));
  const fs::path file = setup::real_path(plan.request.apache);
  if (!setup::content_of(file)) throw Error("--apache: there is no file " + file.string());
  if (std::ranges::count(setup::apache_files(), file) == 0) {
    throw Error(
        fmt::format("Apache does not read {}. Enable it with a2ensite, then repeat this command.",
                    file.string()));
  }
  std::vector<setup::Step> edits = {add_apache_line(file, host)};
  // Another file may contain the site's <VirtualHost> for https. For example, certbot writes
  // example.org-le-ssl.conf.
  for (const fs::path& other : apache_files_without_line(origin)) {
    if (other != file) edits.push_back(add_apache_line(other, host));
  }
  plan.steps.push_back(setup::enable_apache_modules());
  if (setup::has_systemd()) {
    plan.steps.push_back(setup::start_private_nginx());
  } else {
    plan.notes.emplace_back(
        "systemd does not run on this host. Start nginx with /etc/ratingd/nginx/private.conf, as "
        "ratingd-nginx.service does.");
  }
  plan.steps.insert(plan.steps.end(), edits.begin(), edits.end());
}

void remove_apache(SetupPlan& plan) {
  for (const fs::path& file : setup::apache_files()) {
    const std::string text = setup::content_of(file).value_or("");
    if (!setup::has_apache_line(text)) continue;
    plan.steps.push_back(setup::edit_apache(
        file, setup::without_apache_line(text),
        fmt::format("remove ratingd's line from {} and reload Apache", file.string())));
  }
  if (setup::has_systemd()) plan.steps.push_back(setup::stop_private_nginx());
}

}  // namespace admin
