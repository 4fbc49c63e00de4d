#include "admin/setup_request.h"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>

#include "base/bytes.h"
#include "base/shell.h"
#include "config/checked_site.h"
#include "config/command_line.h"
#include "setup/find_wordpress.h"
#include "wordpress/wp_config_settings.h"

namespace admin {
namespace fs = std::filesystem;
namespace {

std::string flag(const Flags& flags, const std::string& name) {
  const auto found = flags.find(name);
  return found == flags.end() ? "" : found->second;
}

fs::path absolute(const std::string& path) {
  return path.empty() ? fs::path() : fs::absolute(path).lexically_normal();
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

fs::path real(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? path : target;
}

fs::path found_wp_config(const SetupRequest& request) {
  auto found = setup::find_wp_configs();
  for (const setup::Site& other : other_sites(request.site)) {
    std::erase_if(found, [&](const setup::FoundConfig& each) {
      return real(each.file) == real(other.wp_config);
    });
  }
  // Anybody may call a folder in /home as they like.
  std::erase_if(found, [](const setup::FoundConfig& each) {
    return base::printable(each.file.string()) != each.file.string();
  });
  if (found.size() == 1) return found.front().file;
  if (found.empty()) {
    throw config::Error(
        "no wp-config.php that another site of this host has not was found in /etc/wordpress, "
        "/var/www, /srv and /home; give --wp-config FILE");
  }
  std::string list = "there are several sites; give one of these:";
  for (const auto& each : found) {
    list += fmt::format("\n  --wp-config {}  (database {})", base::shell_quoted(each.file.string()),
                        base::printable(each.database));
  }
  throw config::Error(list);
}

}  // namespace

SetupRequest setup_request(const Flags& flags) {
  SetupRequest request;
  const std::string name = flag(flags, "site");
  if (flags.contains("site") && !setup::is_site_name(name)) {
    throw config::Error(
        "--site must be 1 to 16 lower-case letters and digits, a letter first, not \"" + name +
        "\"");
  }
  request.site = setup::site_named(name);
  request.wp_config = absolute(flag(flags, "wp-config"));
  request.nginx = absolute(flag(flags, "nginx"));
  request.base_path = flag(flags, "base-path");
  request.blog_id = flag(flags, "blog-id");
  request.is_removal = flags.contains("remove");
  request.is_for_units = flags.contains("units");
  request.is_dry = flags.contains("dry-run");
  request.is_agreed = flags.contains("yes");
  if (name.empty() && (flags.contains("base-path") || flags.contains("blog-id"))) {
    throw config::Error(
        "--base-path and --blog-id go with --site NAME, which makes files with them");
  }
  if (name.empty() && request.is_for_units) throw config::Error("--units goes with --site NAME");
  for (const char* other : {"wp-config", "nginx", "base-path", "blog-id"}) {
    if ((request.is_removal || request.is_for_units) && flags.contains(other)) {
      throw config::Error("--" + std::string(other) + " is for a setup");
    }
  }
  return request;
}

config::Config read_configuration(const std::vector<std::string>& arguments) {
  std::vector<const char*> words = {"ratingctl"};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  return config::read(static_cast<int>(words.size()), words.data(),
                      {.cms = wordpress::read_wp_config})
      .config;
}

config::Config read_recorded(const std::string& file) {
  config::Config config = read_configuration({"--config=" + file});
  config::require_recorded_site(config);
  return config;
}

config::Config read_site(const setup::Site& site) {
  std::vector<std::string> arguments = {"--config=" + site.workers_file.string()};
  if (!is_there(site.workers_password)) arguments.emplace_back("--db-password-file=/dev/null");
  return read_configuration(arguments);
}

fs::path wp_config_of(const SetupRequest& request) {
  const fs::path& link = request.site.wp_config;
  const bool is_set_up = is_there(link);
  if (!request.wp_config.empty()) {
    if (!is_there(request.wp_config)) {
      throw config::Error("--wp-config: there is no " + request.wp_config.string());
    }
    if (is_set_up && real(link) != real(request.wp_config)) {
      throw config::Error(link.string() + " belongs to another site, " + real(link).string() +
                          "; set up a further site with --site NAME, or run first: ratingctl setup "
                          "--remove");
    }
    return request.wp_config;
  }
  if (!is_set_up) return found_wp_config(request);
  std::error_code error;
  const fs::path target = fs::read_symlink(link, error);
  return error ? link : link.parent_path() / target;
}

std::vector<setup::Site> other_sites(const setup::Site& site) {
  std::vector<std::string> names = setup::site_names();
  names.emplace_back();
  std::vector<setup::Site> sites;
  for (const std::string& name : names) {
    setup::Site other = setup::site_named(name);
    if (name != site.name && is_there(other.wp_config)) sites.push_back(std::move(other));
  }
  return sites;
}

}  // namespace admin
