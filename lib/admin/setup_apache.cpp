#include <fmt/core.h>

#include <algorithm>

#include "admin/setup_plan.h"
#include "base/shell.h"
#include "setup/apache.h"
#include "setup/files.h"
#include "setup/units.h"

namespace admin {
namespace fs = std::filesystem;
namespace {

using setup::Error;

// Without its links.
fs::path real_file(const fs::path& file) {
  std::error_code error;
  const fs::path target = fs::canonical(file, error);
  return error ? file : target;
}

}  // namespace

bool is_behind_apache(const setup::Site& site) {
  return site.name.empty() && std::ranges::any_of(setup::apache_files(), [](const fs::path& file) {
           return setup::has_apache_line(setup::content_of(file).value_or(""));
         });
}

std::string setup_with_apache(const setup::Site& site, const std::string& host) {
  if (!site.name.empty()) return "";
  for (const fs::path& file : setup::apache_files()) {
    if (!setup::apache_serves(setup::content_of(file).value_or(""), host)) continue;
    return setup::command_for(site, "setup") + " --apache " + base::shell_quoted(file.string());
  }
  return "";
}

void add_apache(SetupPlan& plan, const std::string& host) {
  const fs::path file = real_file(plan.request.apache);
  const auto text = setup::content_of(file);
  if (!text) throw Error("--apache: there is no file " + file.string());
  if (std::ranges::count(setup::apache_files(), file) == 0) {
    throw Error(
        fmt::format("Apache does not read {}; enable it with a2ensite, then repeat this "
                    "command",
                    file.string()));
  }
  std::string edited;
  try {
    edited = setup::with_apache_line(*text, host);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}\nAdd this line by hand: Include {}", file.string(),
                            error.what(), setup::kApacheFile));
  }
  plan.steps.push_back(setup::enable_apache_modules());
  if (setup::has_systemd()) {
    plan.steps.push_back(setup::start_private_nginx());
  } else {
    plan.notes.emplace_back(
        "systemd does not run on this host: start nginx with "
        "/etc/ratingd/nginx/private.conf as ratingd-nginx.service does.");
  }
  if (edited == *text) return;
  plan.steps.push_back(setup::edit_apache(
      file, edited,
      fmt::format("include {} in the site's <VirtualHost> in {}, test it (apache2ctl configtest) "
                  "and reload Apache",
                  setup::kApacheFile, file.string())));
}

void remove_apache(SetupPlan& plan) {
  for (const fs::path& file : setup::apache_files()) {
    const std::string text = setup::content_of(file).value_or("");
    if (!setup::has_apache_line(text)) continue;
    plan.steps.push_back(setup::edit_apache(
        file, setup::without_apache_line(text),
        fmt::format("remove the line of ratingd from {} and reload Apache", file.string())));
  }
  if (setup::has_systemd()) plan.steps.push_back(setup::stop_private_nginx());
}

}  // namespace admin
