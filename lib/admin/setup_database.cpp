#include "admin/setup_database.h"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "admin/migrate.h"
#include "db/endpoint.h"
#include "db/migrations.h"
#include "identity/secrets.h"
#include "setup/files.h"
#include "store/removal.h"

namespace admin {
namespace fs = std::filesystem;
namespace {

using setup::Error;
using setup::Step;

constexpr std::chrono::seconds kMaxWait{30};

// A file with the password of an account.
struct AccountFile {
  std::string account;
  std::string password;
  fs::path file;
};

std::vector<AccountFile> account_files(const SetupPlan& plan) {
  const setup::Accounts& accounts = plan.accounts;
  const setup::Site& site = plan.request.site;
  return {{accounts.names.workers, accounts.workers_password, site.workers_password},
          {accounts.names.ratingctl, accounts.ratingctl_password, site.ratingctl_password}};
}

std::string advice_for_copies(const setup::Site& site) {
  return fmt::format("copy {}, {} and {} from there", site.secret.string(),
                     site.workers_password.filename().string(),
                     site.ratingctl_password.filename().string());
}

// Whether both accounts are there and have these passwords. Errors: Error - one has another.
bool has_accounts(const SetupPlan& plan) {
  bool all = true;
  for (const auto& [account, password, file] : account_files(plan)) {
    std::error_code error;
    if (fs::exists(file, error) && setup::can_connect(plan.config, account, password)) continue;
    all = false;
    if (plan.root == nullptr || !setup::account_exists(*plan.root, account)) continue;
    throw Error(fmt::format(
        "the database account {} exists, but its password is not in {}. If another host uses this "
        "site, {} (docs/several-hosts.md). Otherwise remove the account: DROP USER {}",
        account, file.string(), advice_for_copies(plan.request.site), setup::in_sql(account)));
  }
  return all;
}

// A file for the administrator, and what to do with it. If it was there before, it may have been
// run already: CREATE USER IF NOT EXISTS then leaves accounts of another host as they are.
void leave_to_administrator(SetupPlan& plan, const std::string& why_no_root, bool has_both) {
  const fs::path file = sql_file(plan.request.site);
  std::error_code error;
  const bool was_there = fs::exists(file, error);
  plan.steps.push_back(setup::write_file(file, setup::accounts_sql(plan.accounts), 0600,
                                         "SQL that creates two accounts and grants their rights"));
  plan.remaining = fmt::format(
      "{}.\nLet an administrator of the database run {}, which has passwords in it; for example:\n"
      "  {}\nThen repeat this command.",
      why_no_root, file.string(), setup::administrator_command(plan.config, file));
  if (has_both || !was_there) return;
  plan.remaining += fmt::format(
      "\nIf it was run already, the accounts exist with other passwords: another host has them. If "
      "it serves this site, {} (docs/several-hosts.md). Otherwise the administrator removes the "
      "accounts first: DROP USER {}, {}",
      advice_for_copies(plan.request.site), setup::in_sql(plan.accounts.names.workers),
      setup::in_sql(plan.accounts.names.ratingctl));
}

// The version of the tables, for root or for ratingctl's account. 0: none that can be seen.
int version_of_tables(const SetupPlan& plan) {
  const std::string& prefix = plan.config.table_prefix;
  if (plan.root != nullptr) return db::schema_version(*plan.root, prefix);
  const auto connection =
      setup::connect(plan.config, plan.accounts.names.ratingctl, plan.accounts.ratingctl_password);
  return db::schema_version(*connection, prefix);
}

// The secret of an earlier installation is used again: voters keep their identity by it.
Step make_secret(const setup::Site& site, bool has_tables) {
  std::error_code error;
  const fs::path& file = site.secret;
  if (fs::exists(file, error)) return {};
  if (has_tables) {
    throw Error(fmt::format(
        "the tables of ratingd are there, but the secret that identifies their voters is not: {}. "
        "If another host serves this site, {} (docs/several-hosts.md). If it is lost, create a new "
        "one, with which all voters are new: ratingctl init-secret --secret-file={}",
        file.string(), advice_for_copies(site), file.string()));
  }
  const auto is_made = std::make_shared<bool>(false);
  return {
      {"create the secret " + file.string() + ", which identifies voters: keep it with backups"},
      [=] {
        identity::make_secret(file);
        *is_made = true;
      },
      [=] {
        if (*is_made) fs::remove(file);
      }};
}

// Drops the tables that this setup created, unless they have votes.
void drop_new_tables(const config::Config& config) {
  db::Connection connection(db::endpoint_of(config.database, kMaxWait));
  const auto tables = store::own_tables(connection, config.table_prefix);
  for (const store::OwnTable& table : tables) {
    const bool has_votes = table.name == config.table_prefix + "ratingd_votes" &&
                           store::count_rows_of(connection, table) > 0;
    if (has_votes) throw Error("there are votes in the new tables");
  }
  store::remove(connection, tables);
}

Step migrate_tables(const SetupPlan& plan, int version) {
  if (version >= db::newest_version()) return {};
  const std::string file = plan.request.site.ratingctl_file.string();
  const auto config_of = [file] { return read_configuration({"--config=" + file}); };
  return {.actions = {fmt::format("{} the tables {}ratingd_... in the database {}",
                                  version == 0 ? "create" : "update", plan.config.table_prefix,
                                  plan.config.database.name)},
          .apply = [=] { static_cast<void>(migrate(config_of())); },
          .undo =
              [=] {
                if (version == 0) drop_new_tables(config_of());
              },
          .remains = version == 0 ? "" : "the tables stay updated"};
}

}  // namespace

void add_accounts(SetupPlan& plan, const std::string& why_no_root) {
  const bool has_both = has_accounts(plan);
  if (has_both && setup::have_rights(plan.config, plan.accounts)) {
    plan.steps.push_back(setup::remove_file(sql_file(plan.request.site)));
    return;
  }
  if (plan.root == nullptr) return leave_to_administrator(plan, why_no_root, has_both);
  if (!has_both) plan.steps.push_back(setup::create_accounts(*plan.root, plan.accounts));
  plan.steps.push_back(setup::grant_rights(*plan.root, plan.accounts));
  // New accounts take their rights with them.
  if (has_both) plan.steps.back().remains = "the database accounts keep these rights";
}

void add_tables(SetupPlan& plan) {
  const int version = version_of_tables(plan);
  plan.steps.push_back(make_secret(plan.request.site, version > 0));
  plan.steps.push_back(migrate_tables(plan, version));
}

}  // namespace admin
