#include <fmt/core.h>

#include <algorithm>
#include <system_error>

#include "admin/setup_plan.h"
#include "config/checked_site.h"
#include "setup/files.h"
#include "setup/find_wordpress.h"
#include "setup/plugin.h"
#include "setup/units.h"

namespace admin {
namespace fs = std::filesystem;
namespace {

using setup::Step;

// Returns whether another site uses the plugin's folder. Sites that use Debian's WordPress package
// share the plugin's folder.
bool is_used_by_others(const setup::Site& site, const fs::path& folder) {
  return std::ranges::any_of(other_sites(site), [&](const setup::Site& other) {
    if (!setup::is_there(other.wp_config)) return false;
    const auto used = setup::plugin_folder(setup::linked_path(other.wp_config));
    return used && setup::real_path(*used) == setup::real_path(folder);
  });
}

void remove_plugin(SetupPlan& plan) {
  const auto folder = setup::plugin_folder(plan.wp_config);
  if (!folder) return;
  if (is_used_by_others(plan.request.site, *folder)) {
    plan.notes.push_back("The plugin in " + folder->string() +
                         " was kept because another site uses it.");
    return;
  }
  try {
    const setup::Steps steps = {setup::remove_plugin(*folder), setup::remove_old_plugin(*folder)};
    plan.steps.insert(plan.steps.end(), steps.begin(), steps.end());
  } catch (const std::runtime_error& unusable) {
    plan.notes.push_back(
        fmt::format("The plugin in {} was kept: {}.", folder->string(), unusable.what()));
  }
}

void remove_accounts(SetupPlan& plan) {
  std::string why_no_root;
  const setup::Site& site = plan.request.site;
  try {
    plan.root = setup::connect_as_root(plan.config, plan.wp_config, why_no_root);
  } catch (const setup::Error& untrusted) {  // also thrown if no server answers
    why_no_root = untrusted.what();
  }
  plan.accounts.workers_password = password_in(site.workers_password);
  plan.accounts.ratingctl_password = password_in(site.ratingctl_password);
  plan.accounts.names = setup::account_names(
      site, plan.config,
      setup::host_of_accounts(plan.config, site.workers, plan.accounts.workers_password));
  add_end_of_proof(plan);
  if (plan.root != nullptr) {
    plan.steps.push_back(setup::drop_accounts(*plan.root, plan.accounts));
    return;
  }
  plan.notes.push_back(fmt::format("{}.\nAsk a database administrator to run: DROP USER {}",
                                   why_no_root, setup::in_sql(plan.accounts.names)));
  if (plan.config.database.server.socket.empty() && !plan.accounts.names.workers.ends_with("@%")) {
    plan.notes.push_back(fmt::format(
        "If no other host of the site uses the accounts for sessions from any host, drop them, "
        "too: DROP USER IF EXISTS {}, {}",
        store::quoted_account(site.workers + "@%"), store::quoted_account(site.ratingctl + "@%")));
  }
}

// Adds the removal steps that need the site's configuration. If the configuration cannot be used,
// for example because WordPress has been deleted, adds notes for the operator instead.
void add_what_is_configured(SetupPlan& plan) {
  const setup::Site& site = plan.request.site;
  try {
    plan.config = read_site(site);
    config::require_recorded_site(plan.config);
    if (plan.config.cms == config::CmsName::wordpress)
      plan.wp_config = setup::linked_path(site.wp_config);
  } catch (const std::exception& exception) {
    plan.notes.push_back(
        fmt::format("The WordPress plugin and the database accounts were not removed because the "
                    "configuration cannot be used: {}",
                    exception.what()));
    plan.notes.push_back(
        fmt::format("Ask a database administrator to run: DROP USER IF EXISTS {}, {}",
                    store::quoted_account(site.workers + "@localhost"),
                    store::quoted_account(site.ratingctl + "@localhost")));
    return;
  }
  if (!plan.wp_config.empty()) remove_plugin(plan);
  remove_accounts(plan);
  plan.notes.push_back(
      fmt::format("The votes stay in the tables {}ratingd_... of the database {}. The secret {} "
                  "stays, too, because it identifies the voters. A new setup uses both again.",
                  plan.config.table_prefix, plan.config.database.name, site.secret.string()));
}

// Returns the step that removes a folder with counters and caches. Undoing the step does not
// restore the folder, because the folder is recreated when needed.
Step remove_folder(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return {};
  return {.actions = {"remove the folder " + folder.string()},
          .apply =
              [folder] {
                for (const auto& entry : fs::directory_iterator(folder)) fs::remove_all(entry);
                fs::remove(folder);
              },
          .undo = {},
          .remains = "it is made again when it is needed"};
}

void remove_files(SetupPlan& plan) {
  const setup::Site& site = plan.request.site;
  std::vector<fs::path> files = {site.workers_password, site.ratingctl_password,
                                 site.wp_config,        config::record_for(site.ratingctl_file),
                                 sql_file(site),        values_file(site)};
  if (!site.name.empty()) {
    for (const auto& file :
         {site.workers_file, site.ratingctl_file, site.nginx_upstream, site.nginx_server}) {
      files.push_back(file);
    }
  }
  for (const fs::path& file : files) plan.steps.push_back(setup::remove_file(file));
  if (!site.name.empty()) {
    plan.steps.push_back(setup::remove_empty_folder(site.nginx_server.parent_path()));
  }
}

}  // namespace

std::unique_ptr<SetupPlan> plan_removal(const SetupRequest& request) {
  auto plan = std::make_unique<SetupPlan>();
  const setup::Site& site = request.site;
  plan->request = request;
  remove_nginx_lines(*plan);
  if (site.name.empty()) remove_apache(*plan);
  if (setup::has_systemd()) plan->steps.push_back(setup::stop_units(site));
  plan->steps.push_back(setup::remove_units(site));
  plan->steps.push_back(setup::remove_let_connect(site));
  add_what_is_configured(*plan);
  remove_files(*plan);
  plan->steps.push_back(remove_folder(site.runtime_dir));
  plan->steps.push_back(remove_folder(site.nginx_cache));
  return plan;
}

}  // namespace admin
