#include "admin/doctor.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <span>

#include "adapters/adapters.h"
#include "admin/doctor_ticket_keys.h"
#include "admin/shared_metrics.h"
#include "base/bytes.h"
#include "db/endpoint.h"
#include "db/migrations.h"
#include "identity/secrets.h"
#include "rollups/rollup_state.h"
#include "store/grants.h"
#include "store/inspection.h"
#include "store/settings_store.h"

namespace admin {
namespace {

using cms::Finding;
using cms::Findings;
using cms::Health;
using cms::run_check;

constexpr std::chrono::seconds kMaxWait{5};
constexpr std::chrono::seconds kClockTolerance{2};

// The data that the database checks use.
struct CheckContext {
  const config::Config& config;
  const base::Clock& clock;
  db::Connection& connection;
  const cms::Cms& cms;
  store::GrantNames names;
};

void check_secret(const config::Config& config, Findings& findings) {
  const std::string file = config.secret_file.string();
  static_cast<void>(identity::read_secrets(config.secret_file));  // throws if it is invalid
  struct stat status {};
  stat(file.c_str(), &status);  // cannot fail: it was just read
  if ((status.st_mode & 07777U & ~0640U) != 0) {
    findings.fail(file +
                  " is accessible to other accounts than its owner and its group's readers; run: " +
                  "chmod 0640 " + file);
  } else if (status.st_uid != 0 && status.st_uid != geteuid()) {
    findings.warn(file + " belongs to another account, which may change it; run: chown root " +
                  file);
  } else {
    findings.ok(file);
  }
}

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
  const base::Time here = context.clock.now();
  const base::Time there = store::server_time(context.connection);
  const auto apart = std::chrono::abs(there - here);
  if (apart <= kClockTolerance) return findings.ok("as the database's");
  const auto seconds = std::chrono::round<std::chrono::seconds>(apart).count();
  findings.warn("the database's clock is " + std::to_string(seconds) + " seconds " +
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

// Behind a proxy, requests name ever new visitors but come from the proxy's address, unless nginx's
// realip module restores the visitor's.
void check_proxies(const config::Config& config, Findings& findings) {
  constexpr std::uint64_t kTooMany = 50;
  const auto memory = open_metrics(config);
  if (!memory) return findings.ok("not known: " + memory.error());
  const auto visitors = base::visitors_per_address((*memory)->as<base::MetricsTable>());
  if (visitors < kTooMany) return findings.ok("no single proxy seen");
  findings.warn("the last " + std::to_string(visitors) +
                " visitors that X-Forwarded-For or Forwarded name share one address and its "
                "limits; only if it is the address of your own proxy, configure nginx for it "
                "(docs/proxies.md)");
}

// Browsers send one of two headers with each vote. If a proxy removes both, all visitors of a
// network look like one program.
void check_browsers(const config::Config& config, const base::Clock& clock, Findings& findings) {
  constexpr std::chrono::days kRecent{1};
  const auto memory = open_metrics(config);
  if (!memory) return findings.ok("not known: " + memory.error());
  const auto voted_at = base::last_votes((*memory)->as<base::MetricsTable>());
  const base::Time since = clock.now() - kRecent;
  if (voted_at.of_browser >= since) return findings.ok("first votes show that browsers sent them");
  if (voted_at.of_program < since) return findings.ok("no vote of a new voter within the last day");
  findings.warn(
      "no vote of a new voter had a header Origin or Sec-Fetch-Site within the last day, as "
      "browsers send them: if a proxy or CDN removes them, let them through, since without them "
      "all new voters of a network count as one program (docs/proxies.md)");
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
    run_check(check.subject, report, [&](Findings& findings) { check.run(context, findings); });
  }
}

const char* word_for(Health health) {
  switch (health) {
    case Health::ok:
      return "ok";
    case Health::warn:
      return "warn";
    case Health::fail:
      break;
  }
  return "fail";
}

}  // namespace

std::vector<Finding> examine(const config::Config& config, const base::Clock& clock) {
  std::vector<Finding> report;
  const bool has_secret =
      run_check("secret", report, [&](Findings& findings) { check_secret(config, findings); });
  run_check("ticket keys", report, [&](Findings& findings) {
    if (has_secret) check_ticket_keys(config, clock.now(), findings);
  });
  run_check("proxies", report, [&](Findings& findings) { check_proxies(config, findings); });
  run_check("browsers", report,
            [&](Findings& findings) { check_browsers(config, clock, findings); });
  std::optional<db::Connection> connection;
  run_check("database", report, [&](Findings& findings) {
    connection.emplace(db::endpoint_of(config.database, kMaxWait));
    findings.ok(config.database.name + ", as " + config.database.user);
  });
  if (!connection) return report;

  const auto cms = adapters::make_cms(config);
  CheckContext context{config, clock, *connection, *cms, store::grant_names(config, *cms)};
  const bool has_tables =
      run_check("schema", report, [&](Findings& findings) { check_schema(context, findings); });
  cms->check(*connection, report);
  run_all(kChecks, context, report);
  if (has_tables) run_all(kChecksOfTables, context, report);
  return report;
}

int doctor(const config::Config& config) {
  bool failed = false;
  for (const Finding& finding : examine(config, base::SystemClock())) {
    fmt::print("{:<4}  {:<13}  {}\n", word_for(finding.health), finding.subject,
               base::printable(finding.text));
    failed = failed || finding.health == Health::fail;
  }
  return failed ? 1 : 0;
}

}  // namespace admin
