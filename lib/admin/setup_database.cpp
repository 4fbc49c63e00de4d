#include <fmt/core.h>

#include <memory>
#include <optional>
#include <string>

#include "admin/setup_plan.h"
#include "base/clock.h"
#include "base/text.h"
#include "checks/inspection.h"
#include "config/checked_site.h"
#include "db/migrations.h"
#include "identity/secrets.h"
#include "setup/files.h"
#include "setup/proof.h"

namespace admin {
namespace fs = std::filesystem;
namespace {

using setup::Error;
using setup::Step;

std::string advice_for_copies(const setup::Site& site) {
  return fmt::format("copy {}, {} and {} from there", site.secret.string(),
                     site.workers_password.filename().string(),
                     site.ratingctl_password.filename().string());
}

// Returns whether both database accounts exist and have the passwords stored in the site's files.
// Throws Error if an account's password differs from the password in the file.
bool has_accounts(const SetupPlan& plan) {
  bool all = true;
  const setup::Site& site = plan.request.site;
  for (const auto& [account, password] : plan.accounts.all()) {
    const bool is_of_workers = account == plan.accounts.names.workers;
    const fs::path& file = is_of_workers ? site.workers_password : site.ratingctl_password;
    if (setup::is_there(file) && setup::can_connect(plan.config, account, password)) continue;
    all = false;
    if (plan.root == nullptr || !setup::account_exists(*plan.root, account)) continue;
    throw Error(fmt::format(
        "the database account {} exists, but its password is not in {}.\nIf another host serves "
        "this site, {} (docs/several-hosts.md).\nOtherwise remove the account on the database "
        "server: DROP USER {}",
        account, file.string(), advice_for_copies(site), store::quoted_account(account)));
  }
  return all;
}

std::string proof_text_of(const SetupPlan& plan) {
  return setup::proof_text(plan.config, plan.accounts.workers_password);
}

// Returns the step that writes the site's verified database settings (such as DB_NAME) to a file.
// Returns an empty step if the file already contains the settings.
Step record(const SetupPlan& plan) {
  std::string values = config::site_lines(plan.config);
  values.pop_back();
  return setup::write_file(config::record_for(plan.request.site.ratingctl_file),
                           config::record_of(plan.config), 0644,
                           base::replace_all(values, "\n", ", "));
}

// Returns whether wp-config.php contains database values that setup has not verified yet.
bool is_unproven(const SetupPlan& plan) {
  return plan.config.is_site_of_cms && !record(plan).actions.empty();
}

// Sets the host part of the account names to the host part of the existing accounts, such as "%".
void use_host_of_accounts(SetupPlan& plan) {
  const setup::Site& site = plan.request.site;
  plan.accounts.names = setup::account_names(
      site, plan.config,
      setup::host_of_accounts(plan.config, site.workers, plan.accounts.workers_password));
}

constexpr const char* kNoProof =
    "\nIf the file has already been run, the account DB_USER in wp-config.php cannot read what it "
    "wrote. Run the file on the server that DB_HOST names, and let this account read all tables of "
    "the database. If the database belongs to somebody else, remove the accounts: DROP USER ";

// Returns advice for an operator whose database accounts already have different passwords, for
// example because another host created the accounts. The SQL does not change existing accounts,
// because it creates accounts with CREATE USER IF NOT EXISTS.
std::string other_passwords(const SetupPlan& plan) {
  return fmt::format(
      "\nIf the file has already been run, the accounts had other passwords before.\nIf another "
      "host serves this site, {} (docs/several-hosts.md).\nOtherwise first remove the accounts: "
      "DROP USER {}",
      advice_for_copies(plan.request.site), setup::in_sql(plan.accounts.names));
}

// Adds a file with SQL for the administrator, and instructions for running the file. If the file
// already exists, adds the text "if_run" to the instructions, because the administrator may have
// run the file unsuccessfully.
void leave_to_administrator(SetupPlan& plan, const std::string& why_no_root,
                            const std::string& if_run) {
  const fs::path file = sql_file(plan.request.site);
  const bool was_there = setup::is_there(file);
  std::string more;
  if (is_unproven(plan)) more = setup::proof_sql(plan.accounts.names, proof_text_of(plan));
  if (!plan.request.site.has_wordpress()) {
    more = setup::database_sql(plan.config.database.name) + ";\n";
  }
  plan.steps.push_back(
      setup::write_file(file, setup::accounts_sql(plan.accounts, more), 0600,
                        "SQL that creates two accounts and grants their privileges"));
  plan.remaining = fmt::format(
      "{}.\nAsk a database administrator to run {}, which contains passwords:\n  {}\nThen repeat "
      "this command.",
      why_no_root, file.string(), setup::administrator_command(plan.config, file));
  if (was_there) plan.remaining += if_run;
}

struct TablesFound {
  int version = 0;              // 0 if no tables are found
  bool needs_migration = true;  // as returned by db::needs_migration()
};

// Returns what is known about ratingd's tables. If only the root account can connect, the version
// is 1 for tables of any version.
TablesFound find_tables(const SetupPlan& plan) {
  const auto read = [](db::Connection& connection) {
    return TablesFound{db::schema_version(connection), db::needs_migration(connection)};
  };
  if (setup::have_privileges(plan.config, plan.accounts)) {
    const auto connection = setup::connect(plan.config, plan.accounts.names.ratingctl,
                                           plan.accounts.ratingctl_password);
    return read(*connection);
  }
  if (plan.site != nullptr) return read(*plan.site);
  return {setup::has_table(*plan.root, plan.accounts.names, "ratingd_schema") ? 1 : 0};
}

// Returns the step that creates the secret. A secret from an earlier installation is reused because
// it identifies the voters.
Step make_secret(const SetupPlan& plan, bool has_tables) {
  const setup::Site& site = plan.request.site;
  const fs::path file = site.secret;
  if (setup::is_there(file)) return {};
  if (has_tables) {
    throw Error(fmt::format(
        "ratingd's tables exist, but the secret that identifies their voters is missing: {}\nIf "
        "another host serves this site, {} (docs/several-hosts.md).\nIf you have a backup that was "
        "made with --with-secret, run: ratingctl init-secret --secret-file={}\nThen repeat this "
        "command, and run: {}\nIf the secret is lost, do the same without the restore. All voters "
        "then become new voters.",
        file.string(), advice_for_copies(site), file.string(),
        setup::command_for(site, plan.options.serves_all
                                     ? "restore --all-sites --replace --with-secret FOLDER"
                                     : "restore --replace --with-secret FILE")));
  }
  const auto is_made = std::make_shared<bool>(false);
  return {{"create the secret " + file.string() +
           ", which identifies voters (keep it with your backups)"},
          [=] {
            identity::make_secret(file);
            *is_made = true;
          },
          [=] {
            if (*is_made) fs::remove(file);
          }};
}

// Adds a ticket key for the site's back end, because only the back end can identify the voters of a
// site without WordPress.
void add_ticket_key(SetupPlan& plan) {
  const setup::Site& site = plan.request.site;
  const identity::TicketKey key{
      .name = site.name,
      .key = identity::new_shared_secret(),
      .may_forward = true,
      .added = std::chrono::floor<std::chrono::seconds>(base::SystemClock().now())};
  plan.steps.push_back({{"add the ticket key " + key.name + " to the secret"},
                        [=, file = site.secret] { identity::add_ticket_key(file, key); },
                        {}});
  plan.steps.push_back(setup::write_file(site.ticket_key, key.key + "\n", 0600,
                                         "the ticket key, for the back end of the site"));
}

// Drops the tables created by this setup, unless they contain votes.
void drop_new_tables(const config::Config& config) {
  db::Connection connection = connect(config, setup::kWaitOfSetup);
  const auto tables = checks::own_tables(connection);
  for (const checks::OwnTable& table : tables) {
    const bool has_votes =
        base::equals_ignoring_case(table.name, config.table_prefix + "ratingd_votes") &&
        checks::count_rows_of(connection, table) > 0;
    if (has_votes) throw Error("there are votes in the new tables");
  }
  checks::remove(connection, tables);
}

Step migration(const SetupPlan& plan, const TablesFound& tables) {
  if (!tables.needs_migration) return {};
  const int version = tables.version;
  const std::string file = plan.request.site.ratingctl_file.string();
  const auto used = std::make_shared<std::optional<config::Config>>();
  std::vector<std::string> actions = {fmt::format(
      "{} the tables {}ratingd_... in the database {}", version == 0 ? "create" : "update",
      plan.config.table_prefix, plan.config.database.name)};
  if (version == 0 && !settings_of_new_site(plan.config).empty()) {
    actions.emplace_back("accept ratings of published content only (object_check = published)");
  }
  return {.actions = std::move(actions),
          .apply =
              [=] {
                used->emplace(read_recorded(file));
                migrate_tables(**used, settings_of_new_site(**used));
              },
          .undo =
              [=] {
                if (version == 0 && *used) drop_new_tables(**used);
              },
          .remains = version == 0 ? "" : "the tables stay updated"};
}

}  // namespace

void add_empty_record(SetupPlan& plan) {
  const setup::Site& site = plan.request.site;
  if (plan.root != nullptr || !is_unproven(plan) || setup::is_there(site.workers_password)) return;
  plan.steps.push_back(setup::create_file(config::record_for(site.ratingctl_file),
                                          config::empty_record(), 0644,
                                          "empty until the database is checked"));
}

void add_accounts(SetupPlan& plan, const std::string& why_no_root) {
  // Do not send the accounts' passwords to the database server named in wp-config.php until setup
  // has verified that the database belongs to the site.
  if (is_unproven(plan) && plan.root == nullptr &&
      !setup::reads_proof(*plan.site, proof_text_of(plan))) {
    return leave_to_administrator(plan, why_no_root, kNoProof + setup::in_sql(plan.accounts.names));
  }
  const bool has_both = has_accounts(plan);
  if (has_both) use_host_of_accounts(plan);
  const bool is_complete = has_both && setup::have_privileges(plan.config, plan.accounts);
  if (!is_complete && plan.root == nullptr) {
    return leave_to_administrator(plan, why_no_root, has_both ? "" : other_passwords(plan));
  }
  if (is_unproven(plan) && plan.root != nullptr) {
    plan.steps.push_back(setup::prove(*plan.root, *plan.site_account, plan.accounts.names));
  }
  if (plan.request.site.has_wordpress()) {
    plan.steps.push_back(record(plan));
  } else if (plan.root != nullptr) {
    plan.steps.push_back(setup::create_database(*plan.root, plan.config.database.name));
  }
  if (is_complete) {
    plan.steps.push_back(setup::remove_file(sql_file(plan.request.site)));
    return;
  }
  if (!has_both) plan.steps.push_back(setup::create_accounts(*plan.root, plan.accounts));
  plan.steps.push_back(setup::grant_privileges(*plan.root, plan.accounts));
  // If setup is undone, new accounts are dropped together with their privileges.
  if (has_both) plan.steps.back().remains = "the database accounts keep these privileges";
}

void add_end_of_proof(SetupPlan& plan) {
  const setup::Accounts& accounts = plan.accounts;
  const store::GrantNames& names = accounts.names;
  if (plan.root == nullptr) {
    plan.steps.push_back(
        setup::drop_proof(plan.config, names.ratingctl, accounts.ratingctl_password, names));
    // If the plan contains the setup::prove() step, that step also drops the proof table.
  } else if (plan.request.is_removal || !is_unproven(plan)) {
    plan.steps.push_back(setup::drop_proof(plan.config, "root", "", names));
  }
}

void add_tables(SetupPlan& plan) {
  const TablesFound tables = find_tables(plan);
  const setup::Site& site = plan.request.site;
  plan.steps.push_back(make_secret(plan, tables.version > 0));
  if (!site.has_wordpress() && !setup::is_there(site.secret)) add_ticket_key(plan);
  plan.steps.push_back(migration(plan, tables));
}

}  // namespace admin
