#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "base/counted.h"
#include "base/stopwatch.h"
#include "checks/checks.h"
#include "config/config.h"
#include "db/migrations.h"
#include "rollups/rollup_state.h"
#include "store/grants.h"
#include "store/inspection.h"
#include "store/settings_store.h"

namespace checks {
namespace {

using cms::Finding;
using cms::Findings;
using cms::run_check;

constexpr std::chrono::seconds kClockTolerance{2};
constexpr const char* kNotChecked = "not checked: the database takes too long to answer";

// The data that the checks use.
struct CheckContext {
  const config::Config& config;
  const cms::Cms& cms;
  db::Connection& connection;
  store::GrantNames names;
  const base::Time started_at;
  const std::chrono::milliseconds time_limit;
  base::Stopwatch stopwatch = {};

  [[nodiscard]] base::Time now() const { return started_at + stopwatch.elapsed(); }
  [[nodiscard]] bool is_late() const { return stopwatch.elapsed() > time_limit; }
};

config::DatabaseTls configured_tls(const CheckContext& context) {
  const auto servers = config::servers_of(context.config.database);
  const auto server =
      std::ranges::find(servers, context.connection.server(),
                        [](const config::DatabaseServer& each) { return config::name_of(each); });
  return config::tls_of(*server, context.config.database.tls);
}

void check_encryption(CheckContext& context, Findings& findings) {
  const std::string& server = context.connection.server();
  const std::string cipher = store::session_cipher(context.connection);
  const config::DatabaseTls tls = configured_tls(context);
  if (cipher.empty()) {
    if (tls == config::DatabaseTls::off && !context.config.database.tls) {
      return findings.ok("none, as " + server + " is on this host");
    }
    return findings.warn("sessions with " + server +
                         " are not encrypted; set --db-tls=verify unless it is on this host");
  }
  if (tls == config::DatabaseTls::verify) {
    return findings.ok(cipher + ", and the certificate of " + server + " is verified");
  }
  findings.warn(
      cipher + ", but the certificate of " + server +
      " is not verified: a server that impersonates it gets the password; set --db-tls=verify");
}

void check_schema(CheckContext& context, Findings& findings) {
  const int version = db::schema_version(context.connection, context.config.table_prefix);
  if (db::can_run_on(version)) {
    findings.ok("version " + std::to_string(version));
  } else if (version == 0) {
    findings.fail(db::advice_for(version) +
                  ". If they are there, this account may not read them; run what this prints: "
                  "ratingctl grants");
  } else {
    findings.fail(db::advice_for(version));
  }
}

void check_rights(CheckContext& context, Findings& findings) {
  bool complete = true;
  for (const store::Right& right : store::rights_of_workers(context.names)) {
    if (context.is_late()) return findings.warn(kNotChecked);
    if (store::has_right(context.connection, right)) continue;
    complete = false;
    findings.fail("the account lacks " + to_words(right) +
                  "; run what this prints: ratingctl grants");
  }
  if (complete) findings.ok("the account has the rights that the workers require");
}

void check_excess(CheckContext& context, Findings& findings) {
  const std::vector<store::Right> allowed = store::rights_of_workers(context.names);
  const auto beyond = store::rights_beyond(allowed, store::shown_grants(context.connection));
  for (const std::string& right : beyond) {
    findings.warn("the account has more rights than the workers require: " + right +
                  "; revoke it, or use a separate account for the workers (ratingctl grants)");
  }
  if (beyond.empty()) findings.ok("the account has no other rights");
}

void check_engine(CheckContext& context, Findings& findings) {
  const auto tables = store::tables_without_innodb(context.connection,
                                                   db::table_names(context.config.table_prefix));
  for (const std::string& table : tables) {
    findings.fail(table + " does not support transactions; run: ALTER TABLE " + table +
                  " ENGINE=InnoDB");
  }
  if (tables.empty()) findings.ok("all tables support transactions");
}

void check_durability(CheckContext& context, Findings& findings) {
  const std::int64_t policy = store::flush_policy(context.connection);
  if (policy == 1) return findings.ok("a vote is on disk before it is answered");
  findings.warn(
      "a crash of the database's host may lose votes that were answered; set "
      "innodb_flush_log_at_trx_commit to 1, it is " +
      std::to_string(policy));
}

void check_clock(CheckContext& context, Findings& findings) {
  const base::Time here = context.now();
  const base::Time there = store::server_time(context.connection);
  const auto apart = std::chrono::abs(there - here);
  if (apart <= kClockTolerance) return findings.ok("as the database's");
  const auto seconds = std::chrono::round<std::chrono::seconds>(apart).count();
  findings.warn("the database's clock is " + base::counted(seconds, "second", "seconds") + " " +
                (there > here ? "ahead of" : "behind") + " this host's; synchronize both (NTP)");
}

void check_zone(CheckContext& context, Findings& findings) {
  const rollups::RollupState state =
      rollups::RollupStateStore(context.config.table_prefix).read(context.connection);
  const std::string& counted = state.zone.name();
  const std::string site = context.cms.time_zone(context.connection).name();
  if (counted != site) {
    findings.warn("days are counted in " + counted +
                  ", the site's zone when they were last summed, " + "and it is " + site +
                  " now; run: ratingctl rebuild");
  }
  if (state.rebuild) {
    findings.warn(
        "a rebuild of the sums is running or was interrupted, and votes take longer until they "
        "are complete; if none is running, run: ratingctl rebuild");
  }
  if (counted == site && !state.rebuild) findings.ok(site);
}

void check_settings(CheckContext& context, Findings& findings) {
  const auto stored = store::SettingsStore(context.config.table_prefix).load(context.connection);
  for (const std::string& problem : stored.problems) findings.warn(problem);
  if (stored.problems.empty()) findings.ok("all stored settings are valid");
}

struct Check {
  const char* subject;
  void (*run)(CheckContext& context, Findings& findings);
};

constexpr Check kChecks[] = {
    {"clock", check_clock},
    {"durability", check_durability},
    {"encryption", check_encryption},
    {"excess", check_excess},
};

// These checks need a correct schema.
constexpr Check kChecksOfTables[] = {
    {"rights", check_rights},
    {"engine", check_engine},
    {"zone", check_zone},
    {"settings", check_settings},
};

void run_all(std::span<const Check> checks, CheckContext& context, std::vector<Finding>& report) {
  for (const Check& check : checks) {
    run_check(check.subject, report, [&](Findings& findings) {
      context.is_late() ? findings.warn(kNotChecked) : check.run(context, findings);
    });
  }
}

}  // namespace

void check_database(const Installation& installation, db::Connection& connection, base::Time now,
                    std::chrono::milliseconds time_limit, std::vector<Finding>& report) {
  const auto& [config, cms] = installation;
  CheckContext context{config, cms, connection, store::grant_names(config, cms), now, time_limit};
  const bool has_tables =
      run_check("schema", report, [&](Findings& findings) { check_schema(context, findings); });
  if (!context.is_late()) cms.check(connection, report);
  run_all(kChecks, context, report);
  if (has_tables) run_all(kChecksOfTables, context, report);
}

}  // namespace checks
