// Implements two commands. `import --from` imports data from other rating plugins. `grants` prints
// the database privileges that ratingd needs, including the privileges for imports.

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

#include "adapters/adapters.h"
#include "admin/commands.h"
#include "admin/flags.h"
#include "admin/network.h"
#include "admin/output.h"
#include "base/clock.h"
#include "base/message.h"
#include "base/text.h"
#include "identity/secrets.h"
#include "imports/find_plugins.h"
#include "imports/plugin.h"
#include "imports/plugin_import.h"
#include "imports/plugin_request.h"
#include "setup/accounts.h"
#include "setup/site.h"
#include "store/grants.h"
#include "store/settings_store.h"

namespace admin {
namespace {

// Reads the command's flags, such as --from, and returns the requested import. If the request is
// invalid, prints the error and returns a request whose plugin is nullptr.
imports::PluginRequest request_of(const Invocation& call) {
  const json::Parameters parameters = parameters_of(call);
  json::Fields fields(parameters);
  auto request = imports::read_plugin_request(fields, call.value("from").value_or(""));
  if (request.plugin != nullptr) return request;
  static_cast<void>(
      refuse("--from is one of " + base::joined(imports::plugins(), ", ", &imports::Plugin::name)));
  return request;
}

// Returns the full table names, including the prefix, separated by commas.
std::string list_of(const config::Config& config, const std::vector<std::string_view>& tables) {
  return base::joined(tables, ", ", [&](std::string_view table) {
    return config.table_prefix + std::string(table);
  });
}

// Prints GRANT statements for the privileges that the current database account needs.
void explain_privileges(const config::Config& config, db::Connection& connection,
                        const imports::Plugin& plugin, const imports::PluginTables& tables) {
  store::GrantNames names{config.database.name, config.table_prefix,
                          adapters::make_cms(config)->grants()};
  db::Rows account = connection.query("SELECT CURRENT_USER()");
  if (account.next()) names.ratingctl = account.text(1);
  const std::string text = fmt::format(
      "tables of {} that are missing, or that this account may not read: {}\n"
      "If the site has them, the database administrator can grant the privilege with:\n\n{}",
      plugin.title, list_of(config, tables.missing),
      imports::plugin_grants(names, plugin, names.ratingctl));
  std::fputs(text.c_str(), stderr);
}

std::string key_for(const config::Config& config, db::Connection& connection, bool is_dry_run) {
  std::vector<std::string> keys;
  for (const identity::Keys& secret :
       identity::read_secrets(config.secret_file, config::site_of_keys(config))) {
    keys.push_back(secret.imports);
  }
  auto key = imports::key_of_imports(connection, keys, is_dry_run);
  if (!key) throw std::runtime_error(key.error().text());
  return *std::move(key);
}

void print_counts(const imports::PluginReport& report) {
  if (report.votes > 0) {
    const transfer::MergeCounts& ratings = report.ratings;
    fmt::print(
        "votes: {} read, {} of them by anonymous voters\n"
        "{:>10} new\n{:>10} newer than the stored vote\n"
        "{:>10} not newer than the stored vote\n",
        report.votes, report.anonymous, ratings.added, ratings.changed, ratings.kept);
    if (ratings.too_old > 0) {
      fmt::print("{:>10} older than what retention_months keeps\n", ratings.too_old);
    }
  }
  if (report.objects > 0 || report.emptied > 0) {
    fmt::print(
        "sums: of {}, with {}\n"
        "{:>10} new\n{:>10} changed\n{:>10} unchanged\n",
        base::counted(report.objects, "object", "objects"),
        base::counted(report.votes_in_sums, "vote", "votes"), report.aggregates.added,
        report.aggregates.changed, report.aggregates.kept);
    if (report.emptied > 0) fmt::print("{:>10} removed\n", report.emptied);
  }
}

void print_since_last_import(const imports::PluginReport& report) {
  if (report.withdrawn > 0) {
    fmt::print("{:>10} withdrawn or erased in ratingd since the last import: not imported again\n",
               report.withdrawn);
  }
  if (report.taken_back > 0) {
    fmt::print("{:>10} removed: version 0.3 stored them for a text that identifies no voter\n",
               report.taken_back);
  }
}

void print_differences(const imports::PluginReport& report) {
  if (report.different == 0) return;
  fmt::print("{} from what the plugin shows:\n",
             base::counted(report.different, "object differs", "objects differ"));
  for (const imports::Difference& each : report.differences) {
    print_line(
        fmt::format("  {}: the plugin shows {} with an average of {:.2f}; the import has {} "
                    "with an average of {:.2f}: {}",
                    each.object, base::counted(each.shown_votes, "vote", "votes"),
                    each.shown_average, each.votes, each.average, each.why));
  }
  if (report.different > std::ssize(report.differences)) std::puts("  ...");
}

void print_refused(const imports::PluginReport& report) {
  if (report.refused.empty()) return;
  std::puts("not imported:");
  for (const auto& [reason, refusals] : report.refused) {
    const auto& examples = refusals.examples;
    const bool are_all =
        examples.empty() || static_cast<std::int64_t>(examples.size()) == refusals.count;
    print_line(fmt::format("{:>10} {}{}{}{}", refusals.count, reason, examples.empty() ? "" : ": ",
                           base::joined(examples), are_all ? "" : " ..."));
  }
}

imports::PluginReport run(const config::Config& config, db::Connection& connection,
                          const imports::Plugin& plugin, const imports::PluginTables& tables,
                          bool is_dry_run) {
  imports::PluginImport import(connection, plugin,
                               {.users_table = config.logins.users_table,
                                .voter_key = key_for(config, connection, is_dry_run),
                                .now = base::SystemClock().now(),
                                .facets = store::load_settings(connection).settings.facets,
                                .is_dry = is_dry_run});
  Progress progress(std::string(plugin.title));
  return import.run(tables, [&](std::uint64_t object, std::uint64_t last) {
    progress(static_cast<std::int64_t>(object), static_cast<std::int64_t>(last));
  });
}

// Prints the grants for one site.
int print_grants_of(const Invocation& call, const config::Config& config) {
  store::GrantNames names{config.database.name, config.table_prefix,
                          adapters::make_cms(config)->grants()};
  if (const auto site = call.value("site")) {
    const config::Database& own = config.database;
    names = setup::account_names(setup::site_named(*site), config,
                                 setup::host_of_accounts(config, own.user, own.password));
  }
  if (!call.arguments.empty()) names.workers = call.arguments[0];
  if (call.arguments.size() > 1) names.ratingctl = call.arguments[1];
  if (!call.has("from")) {
    std::fputs(store::grant_statements(names).c_str(), stdout);
    return 0;
  }
  const imports::Plugin* plugin = request_of(call).plugin;
  if (plugin == nullptr) return kWrongArguments;
  std::fputs(imports::plugin_grants(names, *plugin).c_str(), stdout);
  return 0;
}

}  // namespace

int import_plugin(const Invocation& call) {
  const config::Config& config = call.config;
  const imports::PluginRequest request = request_of(call);
  const imports::Plugin* plugin = request.plugin;
  if (plugin == nullptr) return kWrongArguments;
  db::Connection connection = connect(config);
  require_tables(connection);
  const imports::PluginTables tables = imports::find_tables(connection, *plugin);
  for (const auto& [table, error] : tables.damaged) {
    print_text(fmt::format("{}{} cannot be read: {}", config.table_prefix, table, error), stderr);
  }
  if (!tables.damaged.empty()) return 1;
  if (!tables.is_enough) {
    explain_privileges(config, connection, *plugin, tables);
    return 1;
  }
  if (request.is_dry) std::fputs("dry run: nothing is stored\n", stderr);
  if (!tables.missing.empty()) {
    fmt::print("skipped, because they are missing or this account may not read them: {}\n",
               list_of(config, tables.missing));
  }
  const imports::PluginReport report = run(config, connection, *plugin, tables, request.is_dry);
  print_counts(report);
  print_since_last_import(report);
  print_refused(report);
  print_differences(report);
  return 0;
}

int print_grants(const Invocation& call) {
  if (!call.has(kAllSites)) return print_grants_of(call, call.config);
  db::Connection connection = connect(call.config, kShortWait);
  int status = 0;
  for (const SiteOfNetwork& site : sites_of(connection, call.config)) {
    // Do not print the site's address, because the database's root account runs this SQL, and the
    // site's owner could choose a malicious address.
    fmt::print("-- Site {}\n", site.place.blog_id);
    status = std::max(status, print_grants_of(call, adapters::config_of(call.config, site.place)));
  }
  return status;
}

}  // namespace admin
