#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "admin/network.h"
#include "admin/output.h"
#include "base/joined.h"
#include "db/migrations.h"
#include "setup/accounts.h"
#include "setup/site.h"

namespace admin {
namespace {

// Gives the accounts of the pool the rights to tables of a site.
class Rights {
 public:
  // "first" must outlive it.
  explicit Rights(const config::Config& first)
      : first_(first), site_(setup::site_in(first.runtime_dir)) {
    if (geteuid() != 0) {
      why_not_ = "ratingctl does not run as root";
      return;
    }
    root_ = setup::connect_as_root(first, site_.wp_config, why_not_);
    if (root_ == nullptr) return;
    host_ = setup::host_of_accounts(first, first.database.user, first.database.password);
  }

  // Why it gives none; empty: it does.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  // Only rights to tables with the prefix of the site: the others, to the network's, are setup's.
  void give(const config::Config& site) const {
    if (root_ == nullptr) return;
    const auto names = setup::account_names(site_, site, host_);
    for (const auto& statement : db::statements_of(store::grant_statements(names))) {
      if (statement.find("`" + site.table_prefix) != std::string::npos) root_->execute(statement);
    }
  }

 private:
  const config::Config& first_;
  const setup::Site site_;
  std::unique_ptr<db::Connection> root_;
  std::string host_, why_not_;
};

// One statement for each site that has tables, unless only those without are wanted.
std::vector<SiteOfNetwork> sites_to_migrate(db::Connection& connection, const config::Config& first,
                                            bool is_for_new_ones) {
  auto sites = sites_of(connection, first);
  std::erase_if(sites, [&](const SiteOfNetwork& site) {
    if (!site.has_tables || is_for_new_ones) return site.has_tables;
    connection.use_tables(config::table_prefix_of(first, site.place.blog_id));
    return db::schema_version(connection) >= db::newest_version();
  });
  return sites;
}

void report_lack_of_rights(const config::Config& config, const std::vector<unsigned>& sites,
                           const std::string& why_not) {
  std::fflush(stdout);
  print_line(
      fmt::format("The accounts may lack rights to the tables of {} {}, and could not be given "
                  "any: {}. Let an administrator of the database run: {} | mariadb",
                  sites.size() == 1 ? "site" : "sites",
                  base::joined(sites, ", ", [](unsigned id) { return std::to_string(id); }),
                  why_not, command_of(config, "grants --all-sites")),
      stderr);
}

}  // namespace

int migrate_all_sites(const Invocation& call) {
  const config::Config& first = call.config;
  const bool is_for_new_ones = call.has("new");
  const auto sites = [&] {
    db::Connection connection = connect(first);
    return sites_to_migrate(connection, first, is_for_new_ones);
  }();
  if (sites.empty()) {
    // Each minute, this is no news.
    if (!is_for_new_ones) std::puts("nothing to do: all sites have the tables of this version");
    return 0;
  }
  const Rights rights(first);
  std::vector<unsigned> failed;
  for (const SiteOfNetwork& site : sites) {
    print_line(site.name() + ":");
    const config::Config config = adapters::config_of(first, site.place);
    const int status = run_or_report(site, [&] {
      rights.give(config);
      migrate_tables(config);
      return 0;
    });
    if (status != 0) failed.push_back(site.place.blog_id);
  }
  if (!failed.empty() && !rights.why_not().empty()) {
    report_lack_of_rights(first, failed, rights.why_not());
  }
  return failed.empty() ? 0 : 1;
}

}  // namespace admin
