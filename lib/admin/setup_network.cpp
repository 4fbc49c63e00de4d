#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "admin/network.h"
#include "admin/output.h"
#include "admin/setup_plan.h"
#include "base/text.h"
#include "db/migrations.h"
#include "model/settings.h"
#include "rollups/rollup_state.h"
#include "setup/accounts.h"
#include "setup/site.h"

namespace admin {
namespace {

// Grants ratingd's database accounts the privileges on the sites' tables.
class PrivilegeGranter {
 public:
  explicit PrivilegeGranter(const config::Config& first)
      : site_(setup::site_in(first.runtime_dir)) {
    if (geteuid() != 0) {
      why_not_ = "ratingctl does not run as root";
      return;
    }
    try {
      root_ = setup::connect_as_root(first, site_.wp_config, why_not_);
    } catch (const setup::Error& untrusted) {
      why_not_ = untrusted.what();
    }
    if (root_ == nullptr) return;
    host_ = setup::host_of_accounts(first, first.database.user, first.database.password);
  }

  // Returns the reason why privileges cannot be granted, or an empty string if they can be
  // granted.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  // Grants privileges only on tables with the site's prefix. The `setup` command grants the
  // privileges on the network's tables.
  void grant(const config::Config& site) const {
    if (root_ == nullptr) return;
    const auto names = setup::account_names(site_, site, host_);
    for (const auto& statement : db::statements_of(store::grant_statements(names))) {
      if (statement.find("`" + site.table_prefix) != std::string::npos) root_->execute(statement);
    }
  }

 private:
  const setup::Site site_;
  std::unique_ptr<db::Connection> root_;
  std::string host_, why_not_;
};

void report_lack_of_privileges(const config::Config& config, const std::vector<unsigned>& sites,
                               const std::string& why_not) {
  std::fflush(stdout);
  print_text(
      fmt::format("The accounts may lack privileges on the tables of {} {}, and setup could not "
                  "grant them: {}.\nAsk a database administrator to run: {} | mariadb",
                  sites.size() == 1 ? "site" : "sites",
                  base::joined(sites, ", ", [](unsigned id) { return std::to_string(id); }),
                  why_not, command_of(config, "grants --all-sites")),
      stderr);
}

// Returns whether every site in the network has tables of the newest version. Connects with the
// site's own database account, or with ratingctl's account if the site's account is unknown.
bool has_tables_of_sites(const SetupPlan& plan) {
  config::Config first = plan.config;
  first.base_path = plan.options.base_path;
  if (plan.site != nullptr) return sites_to_migrate(*plan.site, first, false).empty();
  if (!setup::have_privileges(plan.config, plan.accounts)) return false;
  const auto connection =
      setup::connect(plan.config, plan.accounts.names.ratingctl, plan.accounts.ratingctl_password);
  return sites_to_migrate(*connection, first, false).empty();
}

// Returns the settings for new sites, including the first site's `object_check` setting.
store::SettingChanges settings_of_new_sites(db::Connection& connection,
                                            const config::Config& first) {
  if (db::schema_version(connection) == 0 || !rollups::has_zone(connection)) {
    return settings_of_new_site(first);
  }
  const model::Setting& check = *model::find_setting("object_check");
  return {{std::string(check.name), check.get(store::load_settings(connection).settings)}};
}

}  // namespace

std::vector<SiteOfNetwork> sites_to_migrate(db::Connection& connection, const config::Config& first,
                                            bool are_new) {
  auto sites = sites_of(connection, first);
  std::erase_if(sites, [&](const SiteOfNetwork& site) {
    if (!site.has_tables || are_new) return site.has_tables;
    connection.use_tables(config::table_prefix_of(first, site.place.blog_id));
    return !db::needs_migration(connection);
  });
  connection.use_tables(first.table_prefix);
  return sites;
}

int migrate_all_sites(const config::Config& first, bool are_new) {
  store::SettingChanges of_new;
  const auto sites = [&] {
    db::Connection connection = connect(first);
    auto found = sites_to_migrate(connection, first, are_new);
    if (!found.empty()) of_new = settings_of_new_sites(connection, first);
    return found;
  }();
  if (sites.empty()) {
    // The `migrate --new` command runs every minute, so it does not report that there is nothing to
    // do.
    if (!are_new) std::puts("nothing to do: all sites have the tables of this version");
    return 0;
  }
  const PrivilegeGranter granter(first);
  std::vector<unsigned> failed;
  for (const SiteOfNetwork& site : sites) {
    print_text(site.name() + ":");
    const config::Config config = adapters::config_of(first, site.place);
    const int status = run_or_report(site, [&] {
      granter.grant(config);
      migrate_tables(config, of_new);
      return 0;
    });
    if (status != 0) failed.push_back(site.place.blog_id);
  }
  if (!failed.empty() && !granter.why_not().empty()) {
    report_lack_of_privileges(first, failed, granter.why_not());
  }
  return failed.empty() ? 0 : 1;
}

void add_tables_of_sites(SetupPlan& plan) {
  if (!plan.options.serves_all || has_tables_of_sites(plan)) return;
  const std::string file = plan.request.site.ratingctl_file.string();
  plan.steps.push_back({{"create or update the tables of the other sites of the network, and grant "
                         "the privileges on them"},
                        [&plan, file] {
                          plan.lacks_tables_of_sites =
                              migrate_all_sites(read_recorded(file), false) != 0;
                        },
                        {}});
}

}  // namespace admin
