#include <fmt/core.h>

#include <array>
#include <system_error>

#include "admin/network.h"
#include "admin/setup_plan.h"
#include "base/text.h"
#include "config/checked_site.h"
#include "config/command_line.h"
#include "setup/files.h"
#include "setup/find_wordpress.h"
#include "wordpress/users.h"
#include "wordpress/wp_config_options.h"

namespace admin {
namespace fs = std::filesystem;
namespace {

fs::path absolute(const std::string& path) {
  return path.empty() ? fs::path() : fs::absolute(path).lexically_normal();
}

fs::path found_wp_config(const SetupRequest& request) {
  auto found = setup::find_wp_configs();
  for (const setup::Site& other : other_sites(request.site)) {
    std::erase_if(found, [&](const setup::FoundConfig& each) {
      return setup::real_path(each.file) == setup::real_path(other.wp_config);
    });
  }
  // Users can create folders with any name in /home, so paths with unprintable characters are
  // ignored.
  std::erase_if(found, [](const setup::FoundConfig& each) {
    return base::printable(each.file.string()) != each.file.string();
  });
  if (found.size() == 1) return found.front().file;
  if (found.empty()) {
    throw config::Error(
        "no wp-config.php was found in /etc/wordpress, /var/www, /srv and /home, except files that "
        "other sites of this host use.\nName the file of this site with --wp-config FILE.");
  }
  std::string list = "this host has several sites. Choose one with one of these options:";
  for (const auto& each : found) {
    list += fmt::format("\n  --wp-config {}  (database {})", base::shell_quoted(each.file.string()),
                        base::printable(each.database));
  }
  throw config::Error(list);
}

// The options that setup writes to the configuration for a site without WordPress.
constexpr auto kStandaloneFlags =
    std::to_array({"cms", "site-address", "time-zone", "db-host", "db-name", "table-prefix"});

bool is_standalone(const fs::path& workers_file) {
  const config::GivenOptions options =
      config::options_of_file({workers_file.string(), "the configuration of the site"});
  const auto cms = options.find("cms");
  return cms != options.end() && cms->second.value == name_of(config::CmsName::none);
}

// Assumes that the site uses WordPress, unless the --cms flag or the configuration of an existing
// site says otherwise.
void choose_cms(SetupRequest& request, const Invocation& call) {
  setup::Site& site = request.site;
  const bool is_none = call.has("cms");
  if (is_none && call.value("cms") != name_of(config::CmsName::none)) {
    throw config::Error("--cms can only be \"none\". Leave out --cms if the site has WordPress.");
  }
  if (site.name.empty() || request.is_removal) return;
  const bool is_set_up = setup::is_there(site.workers_file);
  const bool was_none = is_set_up && is_standalone(site.workers_file);
  if (is_none && is_set_up && !was_none) {
    throw config::Error("the site " + site.name +
                        " is set up with WordPress. Choose another name for --site.");
  }
  if (!is_none && !was_none) return;
  site.wp_config.clear();
  for (const char* flag : kStandaloneFlags) {
    if (const auto value = call.value(flag)) request.options[flag] = *value;
  }
  if (is_set_up) return;
  request.options.merge(std::map<std::string, std::string>{{"time-zone", "UTC"},
                                                           {"db-host", "localhost"},
                                                           {"db-name", site.workers},
                                                           {"table-prefix", site.name + "_"}});
}

void refuse_contradictions(const SetupRequest& request, const Invocation& call) {
  const bool has_name = !request.site.name.empty();
  if (!has_name &&
      (call.has("base-path") || call.has("blog-id") || call.has("cms") || call.has(kAllSites))) {
    throw config::Error(
        "--base-path, --blog-id, --all-sites and --cms require --site NAME, because a site without "
        "a name uses the files of the package.");
  }
  if (call.has("blog-id") && call.has(kAllSites)) {
    throw config::Error("--blog-id and --all-sites cannot be combined.");
  }
  if (!request.apache.empty() && (has_name || !request.nginx.empty())) {
    throw config::Error("--apache cannot be combined with --nginx or --site NAME.");
  }
  if (!has_name && request.is_for_units) throw config::Error("--units requires --site NAME.");
  const auto refuse = [&](std::span<const char* const> flags, const char* why) {
    for (const char* flag : flags) {
      if (call.has(flag)) throw config::Error("--" + std::string(flag) + why);
    }
  };
  if (request.is_removal || request.is_for_units) {
    refuse(std::to_array({"wp-config", "nginx", "apache", "base-path", "blog-id", kAllSites}),
           " cannot be combined with --remove or --units.");
    refuse(kStandaloneFlags, " cannot be combined with --remove or --units.");
  }
  if (request.site.has_wordpress()) {
    refuse(kStandaloneFlags, " requires --cms none.");
  } else {
    refuse(std::to_array({"wp-config", "blog-id", kAllSites}),
           " is only for a site with WordPress.");
  }
}

// Returns a line of PHP that defines WordPress's folder for must-use plugins. Without this line,
// programs that read the values file would search for must-use plugins next to the values file
// instead of next to wp-config.php.
std::string line_for_plugins(const fs::path& wp_config) {
  const auto folder = setup::plugin_folder(wp_config);
  if (!folder || folder->string().find_first_of("'\\") != std::string::npos) return "";
  return fmt::format("define( 'WPMU_PLUGIN_DIR', '{}' );\n", folder->string());
}

}  // namespace

SetupRequest setup_request(const Invocation& call) {
  const auto flag = [&](const char* each) { return call.value(each).value_or(""); };
  SetupRequest request;
  const std::string name = flag("site");
  if (call.has("site") && !setup::is_site_name(name)) {
    throw config::Error(
        "--site must be 1 to 16 lower-case letters and digits and begin with a letter. It cannot "
        "be \"maintain\", \"reload\" or \"sites\", and not \"" +
        name + "\"");
  }
  request.site = setup::site_named(name);
  request.wp_config = absolute(flag("wp-config"));
  request.nginx = absolute(flag("nginx"));
  request.apache = absolute(flag("apache"));
  request.base_path = flag("base-path");
  request.blog_id = flag("blog-id");
  request.serves_all = call.has(kAllSites);
  request.is_removal = call.has("remove");
  request.is_for_units = call.has("units");
  request.is_dry = call.has("dry-run");
  request.is_agreed = call.has("yes");
  choose_cms(request, call);
  refuse_contradictions(request, call);
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
  if (!setup::is_there(site.workers_password))
    arguments.emplace_back("--db-password-file=/dev/null");
  return read_configuration(arguments);
}

fs::path wp_config_of(const SetupRequest& request) {
  const fs::path& link = request.site.wp_config;
  const bool is_set_up = setup::is_there(link);
  if (!request.wp_config.empty()) {
    if (!setup::is_there(request.wp_config)) {
      throw config::Error("--wp-config: there is no file " + request.wp_config.string());
    }
    if (is_set_up && setup::real_path(link) != setup::real_path(request.wp_config)) {
      throw config::Error(link.string() +
                          " belongs to another site: " + setup::real_path(link).string() +
                          "\nTo set up a further site, add --site NAME. To replace the earlier "
                          "site, first run: ratingctl setup --remove");
    }
    return request.wp_config;
  }
  if (!is_set_up) return found_wp_config(request);
  return setup::linked_path(link);
}

std::vector<setup::Site> other_sites(const setup::Site& site) {
  std::vector<setup::Site> sites = setup::all_sites();
  std::erase_if(sites, [&](const setup::Site& each) {
    return each.name == site.name || (each.name.empty() && !setup::is_there(each.wp_config));
  });
  return sites;
}

void leave_values_to_operator(SetupPlan& plan) {
  const auto literal = wordpress::literal_wp_config({plan.wp_config.string(), "--wp-config"});
  const setup::Site& site = plan.request.site;
  const fs::path file = values_file(site);
  const std::string names = base::joined(literal.missing);
  std::error_code error;
  if (fs::equivalent(plan.wp_config, file, error)) {
    throw setup::Error(
        fmt::format("{} still lacks values for {}. Insert them, then repeat this command.",
                    file.string(), names));
  }
  const std::string header = fmt::format(
      "<?php\n// ratingd reads these values instead of {}. Replace each VALUE with the value, as "
      "'text'.\n{}",
      plan.wp_config.string(),
      literal.has_includes ? "// Write '' for a key or salt that WordPress does not define.\n"
                           : "");
  plan.steps.push_back(setup::create_folder(site.folder));
  plan.steps.push_back(
      setup::create_file(file, header + literal.text + line_for_plugins(plan.wp_config), 0640,
                         "wp-config.php's values, with gaps for values that setup cannot read"));
  plan.remaining = fmt::format(
      "PHP computes values in {}{}, so setup cannot read them: {}.\nInsert these values into {}, "
      "which has a line for each of them. Then run:\n  {} --wp-config {}",
      base::printable(plan.wp_config.string()),
      literal.has_includes ? ", or a file that it includes defines them" : "", names, file.string(),
      setup::command_for(site, "setup"), file.string());
}

void find_login_keys(SetupPlan& plan) {
  if (plan.site == nullptr) return;
  wordpress::LoginSettings settings(plan.config);
  settings.refresh(*plan.site);
  const auto state = settings.state();
  if (state->logged_in_salt && state->nonce_salt) return;
  const std::string file = plan.wp_config.string();
  const auto literal = wordpress::literal_wp_config({file, "--wp-config"});
  if (!literal.has_includes || literal.missing.empty()) return;
  if (!setup::is_there(plan.request.site.wp_config)) return leave_values_to_operator(plan);
  plan.notes.push_back(
      base::printable(file) +
      " does not define the keys of WordPress's logins, and setup does not read the files that it "
      "includes. If these files define LOGGED_IN_KEY, LOGGED_IN_SALT, NONCE_KEY or NONCE_SALT, "
      "ratingd treats all users as visitors who are not logged in until you set the keys "
      "(docs/install.md, \"Login keys in another file\").");
}

fs::path values_file(const setup::Site& site) { return site.folder / "wordpress.php"; }

}  // namespace admin
