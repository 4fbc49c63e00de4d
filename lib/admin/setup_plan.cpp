#include "admin/setup_plan.h"

#include <fmt/core.h>

#include <optional>
#include <system_error>
#include <tuple>

#include "admin/doctor.h"
#include "base/origin.h"
#include "base/text.h"
#include "config/checked_site.h"
#include "config/command_line.h"
#include "config/options.h"
#include "db/endpoint.h"
#include "setup/files.h"
#include "setup/find_wordpress.h"
#include "setup/plugin.h"
#include "setup/proof.h"
#include "setup/units.h"
#include "wordpress/site_reader.h"

namespace admin {
namespace fs = std::filesystem;
namespace {

using setup::Error;
using setup::Step;

// Returns the database account in wp-config.php, or nothing if the account is computed by PHP code.
std::optional<db::Endpoint> site_account(const SetupPlan& plan) {
  try {
    // The flags override all values in wp-config.php except the database account.
    const config::Config wp = read_configuration(
        {"--wp-config=" + plan.wp_config.string(), "--db-host=localhost",
         "--db-name=" + plan.config.database.name, "--table-prefix=" + plan.config.base_prefix});
    return setup::site_account(plan.config, wp);
  } catch (const config::Error& unknown) {
    if (!plan.config.is_site_of_cms && plan.root != nullptr) return std::nullopt;
    throw Error(
        fmt::format("{}\nWithout DB_USER and DB_PASSWORD, setup cannot prove that the database "
                    "belongs to the site. If you know that it does, set db-host or db-socket, "
                    "db-name and table-prefix in these files:\n  {}\n  {}",
                    unknown.what(), plan.request.site.workers_file.string(),
                    plan.request.site.ratingctl_file.string()));
  }
}

void connect_as_site(SetupPlan& plan) {
  plan.site_account = site_account(plan);
  if (!plan.site_account) return;
  try {
    plan.site = std::make_unique<db::Connection>(*plan.site_account);
  } catch (const db::Failure& failure) {
    if (!db::refuses_account(failure.code())) throw;
    throw Error(
        fmt::format("the account DB_USER in wp-config.php cannot use the database {}: {}\nCorrect "
                    "DB_USER, DB_PASSWORD or DB_NAME in wp-config.php, or grant the account its "
                    "privileges. Then repeat this command.",
                    plan.config.database.name, failure.what()));
  }
}

void read_home(SetupPlan& plan) {
  plan.home = plan.request.site.has_wordpress() ? plan.config.home : plan.config.standalone.address;
  if (!plan.home.empty()) return;
  if (plan.site == nullptr) {
    throw Error(
        "DB_USER and DB_PASSWORD are not known, so setup cannot read the site's address. Set "
        "wp-home in " +
        plan.request.site.workers_file.string());
  }
  const auto home = wordpress::read_option(*plan.site, "home");
  if (!home)
    throw Error(
        "WordPress's table of options has no address (home). Install WordPress first, then repeat "
        "this command.");
  plan.home = *home;
}

// Returns the path of the home page. The path is untrusted: a WordPress administrator chose it, and
// root writes it into configuration files.
std::string path_of_home(const SetupPlan& plan) {
  const auto path = base::path_of(plan.home);
  if (!path || base::printable(*path) != *path) {
    throw Error(
        "the site's address must begin with http:// or https:// and have a valid path. Correct it, "
        "then repeat this command: " +
        base::printable(plan.home));
  }
  return *path;
}

// Derives the base path from the site's address, unless the configuration contains a base path.
void choose_base_path(SetupPlan& plan) {
  const std::string path = path_of_home(plan);
  plan.home = *base::origin_of(plan.home) + path;
  const setup::Site& site = plan.request.site;
  const setup::SiteOptions packaged;
  plan.options.blog_id = plan.config.network.blog_id;
  plan.options.serves_all = plan.config.network.serves_all;
  plan.options.others = plan.request.options;
  if (setup::is_there(site.workers_file)) {
    plan.options.base_path = plan.config.base_path;
  } else if (!plan.request.base_path.empty()) {
    plan.options.base_path = plan.request.base_path;
  } else {
    plan.options.base_path = path + packaged.base_path;
  }
  if (!config::is_base_path(plan.options.base_path)) {
    throw Error("setup cannot derive the API's base path from the site's address " + plan.home +
                ". Choose a path with --base-path.");
  }
  if (site.name.empty() && !path.empty() && plan.options.base_path == packaged.base_path) {
    throw Error(plan.home +
                " is in a folder, but the files of the package are for a site at /. Give this site "
                "a name. Run: ratingctl setup --site " +
                (setup::is_site_name(path.substr(1)) ? path.substr(1) : "NAME"));
  }
}

bool is_same_site(const config::Config& a, const config::Config& b) {
  return a.database.server == b.database.server && a.database.name == b.database.name &&
         a.table_prefix == b.table_prefix;
}

void refuse_site_of_others(const SetupPlan& plan) {
  for (const setup::Site& other : other_sites(plan.request.site)) {
    bool is_same = false;
    try {
      const config::Config config = read_site(other);
      config::require_recorded_site(config);
      is_same = is_same_site(plan.config, config);
    } catch (const config::Error&) {
      // Ignore other sites whose configuration is invalid, or whose wp-config.php now contains
      // values that setup has not checked.
    }
    if (is_same) {
      throw Error("this site is already set up (" + other.workers_file.string() +
                  "). Repeat setup for that site, or remove that site first.");
    }
  }
}

// Throws an error if a flag's value differs from the value in the site's existing configuration
// file, because setup does not change existing configuration files.
void refuse_other_values(const SetupRequest& request, const config::Config& config) {
  std::vector<std::tuple<std::string, std::string, std::string>> values = {
      {"base-path", request.base_path, config.base_path},
      {"blog-id", request.blog_id, std::to_string(config.network.blog_id)},
      {"all-sites", request.serves_all ? "yes" : "", config.network.serves_all ? "yes" : "no"}};
  if (!request.options.empty() && setup::is_there(request.site.workers_file)) {
    config::GivenOptions given =
        config::options_of_file({request.site.workers_file.string(), "--config"});
    for (const auto& [name, wanted] : request.options) {
      values.emplace_back(name, wanted, given[name].value);
    }
  }
  for (const auto& [name, wanted, value] : values) {
    if (wanted.empty() || wanted == value) continue;
    throw Error(fmt::format(
        "the site is set up with {} = {}, which setup does not change. Edit it in {} and {}, "
        "repeat this command without --{}, then run: {}",
        name, value, request.site.workers_file.string(), request.site.ratingctl_file.string(), name,
        setup::command_for(request.site, "reload")));
  }
}

// Setup checks only one wp-config.php. Throws an error if a configuration file names another
// wp-config.php, because ratingd would then serve an unchecked site.
void refuse_other_wp_config(const SetupPlan& plan) {
  const setup::Site& site = plan.request.site;
  std::error_code error;
  for (const fs::path& file : {site.workers_file, site.ratingctl_file}) {
    if (!setup::is_there(file)) continue;
    const config::GivenOptions options = config::options_of_file({file.string(), "--config"});
    const auto named = options.find("wp-config");
    if (named == options.end() || named->second.value == site.wp_config ||
        fs::equivalent(named->second.value, plan.wp_config, error)) {
      continue;
    }
    throw Error(
        fmt::format("{} has the line \"wp-config = {}\", but setup checks {}.\nChange the line to "
                    "\"wp-config = {}\". Setup makes this link to the file of --wp-config.",
                    file.string(), base::printable(named->second.value), plan.wp_config.string(),
                    site.wp_config.string()));
  }
}

// Returns an empty string, or a warning if a network of sites is being set up as a single site.
std::string warning_of_network(const SetupPlan& plan) {
  const config::Network& network = plan.config.network;
  const setup::Site& site = plan.request.site;
  const bool is_chosen = !plan.request.blog_id.empty() || network.blog_id != 1;
  if (!network.exists || network.serves_all || is_chosen) return "";
  const bool has_files = site.name.empty() || setup::is_there(site.workers_file);
  // Each of the package's configuration files has a folder, such as "ratingd.conf.d", where the
  // operator can override values.
  const std::string further = site.name.empty() ? ".d/local.conf" : "";
  return "WordPress is a network of sites (MULTISITE), and this setup serves only its first site. "
         "To "
         "serve all sites, " +
         (has_files ? fmt::format("write \"all-sites = yes\" to {}{} and {}{}, and repeat setup",
                                  site.workers_file.string(), further, site.ratingctl_file.string(),
                                  further)
                    : std::string("repeat the command with --all-sites")) +
         " (docs/networks.md).";
}

std::vector<std::string> arguments_of(const SetupRequest& request, const fs::path& wp_config) {
  std::vector<std::string> arguments;
  if (request.site.has_wordpress()) arguments.push_back("--wp-config=" + wp_config.string());
  if (setup::is_there(request.site.workers_file)) {
    arguments.push_back("--config=" + request.site.workers_file.string());
  } else if (request.site.name.empty()) {
    throw Error(
        request.site.workers_file.string() +
        " is missing. Install the package again, or copy etc/ratingd.conf from the source.");
  } else {
    if (!request.base_path.empty()) arguments.push_back("--base-path=" + request.base_path);
    if (request.serves_all) arguments.emplace_back("--all-sites=yes");
    if (!request.blog_id.empty()) arguments.push_back("--blog-id=" + request.blog_id);
    for (const auto& [name, value] : request.options) {
      arguments.push_back(fmt::format("--{}={}", name, value));
    }
  }
  if (!setup::is_there(request.site.workers_password)) {
    arguments.emplace_back("--db-password-file=/dev/null");
  }
  return arguments;
}

// If PHP code computes some values in wp-config.php, sets plan.remaining to instructions for the
// operator and returns false.
bool read_config(SetupPlan& plan) {
  const SetupRequest& request = plan.request;
  const std::vector<std::string> arguments = arguments_of(request, plan.wp_config);
  try {
    plan.config = read_configuration(arguments);
  } catch (const config::ValueMissing&) {
    leave_values_to_operator(plan);
    return false;
  }
  if (!plan.config.not_read.empty()) {
    leave_values_to_operator(plan);
    return false;
  }
  refuse_other_values(request, plan.config);
  return true;
}

// Reads the accounts' passwords from the site's files, and generates missing passwords.
void choose_passwords(SetupPlan& plan) {
  setup::Accounts& accounts = plan.accounts;
  accounts.workers_password = password_in(plan.request.site.workers_password);
  accounts.ratingctl_password = password_in(plan.request.site.ratingctl_password);
  for (auto* password : {&accounts.workers_password, &accounts.ratingctl_password}) {
    if (password->empty()) *password = setup::new_password();
  }
}

void add_files(SetupPlan& plan) {
  const setup::Site& site = plan.request.site;
  setup::Steps& steps = plan.steps;
  if (!site.name.empty()) steps.push_back(setup::create_folder(site.folder));
  add_empty_record(plan);
  if (plan.wp_config != site.wp_config) {
    steps.push_back(setup::link_file(site.wp_config, plan.wp_config));
  }
  steps.push_back(setup::create_file(site.workers_password, plan.accounts.workers_password + "\n",
                                     0600, "a random password"));
  steps.push_back(setup::create_file(
      site.ratingctl_password, plan.accounts.ratingctl_password + "\n", 0600, "a random password"));
  if (!site.name.empty()) {
    steps.push_back(setup::create_file(site.workers_file, setup::workers_conf(site, plan.options),
                                       0644, "the workers' configuration"));
    steps.push_back(setup::create_file(site.ratingctl_file,
                                       setup::ratingctl_conf(site, plan.options), 0644,
                                       "ratingctl's configuration"));
  }
}

void note_plugin(SetupPlan& plan, const std::string& reason) {
  plan.notes.push_back(
      fmt::format("The WordPress plugin was not installed: {}.\nTo install it, copy everything in "
                  "{}/share/ratingd/wordpress to WordPress's folder wp-content/mu-plugins.",
                  reason, install_prefix()));
}

void add_plugin(SetupPlan& plan) {
  const auto folder = setup::plugin_folder(plan.wp_config);
  if (!folder) return note_plugin(plan, "WordPress's folder mu-plugins was not found");
  try {
    const setup::Steps steps = {setup::create_folder(*folder, setup::FolderOwner::as_parent),
                                setup::install_plugin(*folder), setup::remove_old_plugin(*folder)};
    plan.steps.insert(plan.steps.end(), steps.begin(), steps.end());
  } catch (const std::runtime_error& unusable) {
    note_plugin(plan, unusable.what());
  }
}

Step check_installation(const setup::Site& site) {
  return {{"check the installation (ratingctl doctor)"},
          [file = site.workers_file.string()] {
            if (!is_well(read_recorded(file))) {
              throw Error(
                  "a check failed. Correct each line above that begins with \"fail\", then repeat "
                  "this command.");
            }
          },
          {}};
}

void add_units(SetupPlan& plan, bool has_news_for_workers) {
  const setup::Site& site = plan.request.site;
  const Step units = setup::write_units(site, install_prefix());
  plan.steps.push_back(units);
  plan.steps.push_back(setup::let_connect(site, plan.request.apache.empty()
                                                    ? account_of_web_server(site)
                                                    : std::string(setup::kPackagedAccount)));
  if (setup::has_systemd()) {
    plan.steps.push_back(setup::start_units(site, has_news_for_workers || !units.actions.empty(),
                                            plan.options.serves_all));
    return;
  }
  plan.notes.push_back(fmt::format(
      "systemd does not run on this host, so setup started no workers. Start them with "
      "--config={}. Each worker needs the listening socket {} as its standard input (man ratingd).",
      site.workers_file.string(), site.socket.string()));
}

}  // namespace

std::unique_ptr<SetupPlan> plan_setup(const SetupRequest& request) {
  auto plan = std::make_unique<SetupPlan>();
  const setup::Site& site = request.site;
  plan->request = request;
  if (site.has_wordpress()) {
    plan->wp_config = wp_config_of(request);
    refuse_other_wp_config(*plan);
  }
  if (!read_config(*plan)) return plan;
  refuse_site_of_others(*plan);

  std::string why_no_root;
  plan->root = setup::connect_as_root(plan->config, plan->wp_config, why_no_root);
  if (site.has_wordpress()) connect_as_site(*plan);
  choose_passwords(*plan);
  plan->accounts.names = setup::account_names(
      site, plan->config,
      plan->site != nullptr
          ? setup::host_of(*plan->site)
          : setup::host_of_accounts(plan->config, site.workers, plan->accounts.workers_password));
  if (plan->site != nullptr) setup::require_reads(*plan->site, plan->accounts.names);
  find_login_keys(*plan);
  if (!plan->remaining.empty()) return plan;
  read_home(*plan);
  choose_base_path(*plan);
  plan->warning = warning_of_network(*plan);

  add_files(*plan);
  add_accounts(*plan, why_no_root);
  if (!plan->remaining.empty()) return plan;
  add_tables(*plan);
  // If setup only grants privileges, reloading the workers is unnecessary but harmless.
  const bool has_news_for_workers = !setup::actions_of(plan->steps).empty();
  if (site.has_wordpress()) add_plugin(*plan);
  add_nginx_files(*plan);
  const std::size_t checked = plan->steps.size();
  add_units(*plan, has_news_for_workers);
  add_nginx_lines(*plan);
  add_end_of_proof(*plan);
  add_tables_of_sites(*plan);
  if (!setup::actions_of(plan->steps).empty()) {
    plan->steps.insert(plan->steps.begin() + static_cast<std::ptrdiff_t>(checked),
                       check_installation(site));
  }
  return plan;
}

std::unique_ptr<SetupPlan> plan_units(const SetupRequest& request) {
  auto plan = std::make_unique<SetupPlan>();
  plan->request = request;
  if (!setup::is_there(request.site.workers_file)) {
    throw Error("there is no site " + request.site.name);
  }
  plan->steps.push_back(setup::write_units(request.site, install_prefix()));
  return plan;
}

std::string install_prefix() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const bool is_installed = !error && program.parent_path().filename() == "bin";
  return is_installed ? program.parent_path().parent_path().string() : "/usr";
}

fs::path sql_file(const setup::Site& site) { return site.folder / "accounts.sql"; }

std::string password_in(const fs::path& file) {
  std::string text = setup::content_of(file).value_or("");
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

}  // namespace admin
