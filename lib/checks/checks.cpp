#include "checks/checks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "checks/inspection.h"
#include "db/migrations.h"
#include "rollups/rollup_state.h"
#include "store/grants.h"
#include "store/named_values.h"
#include "store/settings_store.h"

namespace checks {
namespace {

using base::Message;
using cms::Finding;
using cms::Findings;
using cms::run_check;
using cms::Subject;

constexpr std::chrono::seconds kClockTolerance{2};
constexpr std::chrono::days kRecent{1};

struct CheckContext {
  const Installation& site;
  db::Connection& connection;
  store::GrantNames names;
  const base::Time started_at;
  const std::chrono::milliseconds time_limit;
  base::Stopwatch stopwatch = {};

  [[nodiscard]] base::Time now() const { return started_at + stopwatch.elapsed(); }
  [[nodiscard]] bool is_late() const { return stopwatch.elapsed() > time_limit; }
};

Message not_checked() {
  return Message("this check was skipped, because the database took too long to respond");
}

config::DatabaseTls configured_tls(const CheckContext& context) {
  const auto servers = config::servers_of(context.site.database);
  const auto server =
      std::ranges::find(servers, context.connection.server(),
                        [](const config::DatabaseServer& each) { return config::name_of(each); });
  return config::tls_of(*server, context.site.database.tls);
}

void check_encryption(CheckContext& context, Findings& findings) {
  const std::string cipher = checks::session_cipher(context.connection);
  const config::DatabaseTls tls = configured_tls(context);
  const std::vector<base::MessageValue> values = {{"server", context.connection.server()},
                                                  {"cipher", cipher}};
  if (cipher.empty()) {
    if (tls == config::DatabaseTls::off && !context.site.database.tls) {
      return findings.ok(
          Message("no encryption is needed, because {server} is on this host", values));
    }
    return findings.warn(
        Message("connections to {server} are not encrypted. If the server is on another host, set "
                "--db-tls=verify",
                values));
  }
  if (tls == config::DatabaseTls::verify) {
    return findings.ok(Message("{cipher}, and the certificate of {server} is verified", values));
  }
  findings.warn(
      Message("{cipher}, but the certificate of {server} is not verified, so another server could "
              "impersonate it and get the password. Set --db-tls=verify",
              values));
}

void check_schema(CheckContext& context, Findings& findings) {
  const int version = db::schema_version(context.connection);
  if (db::can_run_on(version)) {
    const auto unreadable = checks::unreadable_tables(context.connection);
    for (const std::string& table : unreadable) {
      findings.fail(
          Message("the {table} table cannot be read, so votes may fail. If the table is "
                  "missing or damaged, restore it from a backup. Otherwise, run the statements "
                  "that this command prints: ratingctl grants",
                  {{"table", table}}));
    }
    if (unreadable.empty()) findings.ok(Message("version {version}", {{"version", version}}));
    return;
  }
  if (version != 0) return findings.fail(db::advice_for(version));
  findings.fail(
      Message("{advice} If the tables exist, this account lacks the privilege to read them. Run "
              "the statements that this command prints: ratingctl grants",
              {{"advice", db::advice_for(version)}}));
}

// Reports nothing if the server does not accept writes, because such a server rejects the
// statements that show whether the account may write.
void check_privileges(CheckContext& context, Findings& findings) {
  if (!context.connection.accepts_writes()) return;
  bool complete = true;
  for (const store::Privilege& privilege :
       store::privileges_of(context.names, context.names.workers)) {
    if (context.is_late()) return findings.unchecked(not_checked());
    if (checks::has_privilege(context.connection, privilege)) continue;
    complete = false;
    findings.fail(
        Message("the account lacks the privilege {right}. Run the statements that this command "
                "prints: ratingctl grants",
                {{"right", to_words(privilege)}}));
  }
  if (complete) findings.ok(Message("the account has the privileges that the workers require"));
}

void check_excess(CheckContext& context, Findings& findings) {
  const std::vector<store::Privilege> allowed =
      store::privileges_of(context.names, context.names.workers);
  const bool in_any_case = checks::compares_names_in_any_case(context.connection);
  const auto beyond = store::privileges_beyond(
      allowed, checks::shown_grants(context.connection),
      [&](const auto& table) { return context.site.cms.same_table_here(table, in_any_case); },
      in_any_case);
  if (beyond.empty()) return findings.ok(Message("the account has no unneeded privileges"));
  // Show only a few privileges, because ratingctl's account has privileges on thousands of tables
  // in a large network.
  constexpr std::ptrdiff_t kShown = 5;
  const auto size = std::ssize(beyond);
  std::vector<std::string> shown(beyond.begin(), std::next(beyond.begin(), std::min(kShown, size)));
  if (size > kShown) shown.emplace_back("\u2026");
  findings.warn(
      Message("the account has more privileges than the workers require: {right}. Revoke these "
              "privileges, or use a separate account for the workers (ratingctl grants)",
              {{"right", base::joined(shown, "; ")}}));
}

void check_engine(CheckContext& context, Findings& findings) {
  const auto tables = checks::tables_without_innodb(
      context.connection, db::table_names(context.connection.table_prefix()));
  for (const std::string& table : tables) {
    findings.fail(
        Message("the {table} table does not support transactions. Run: ALTER TABLE {table} "
                "ENGINE=InnoDB",
                {{"table", table}}));
  }
  if (tables.empty()) findings.ok(Message("all tables support transactions"));
}

void check_durability(CheckContext& context, Findings& findings) {
  const std::int64_t policy = checks::flush_policy(context.connection);
  if (policy == 1)
    return findings.ok(Message("each vote is written to disk before it is confirmed"));
  findings.warn(
      Message("if the database server crashes, confirmed votes may be lost. Change "
              "innodb_flush_log_at_trx_commit from {policy} to 1",
              {{"policy", policy}}));
}

void check_writes(CheckContext& context, Findings& findings) {
  if (context.connection.accepts_writes())
    return findings.ok(Message("the database server accepts writes"));
  findings.fail(
      Message("{server} does not accept writes, so votes get 503 responses. Promote it, or set "
              "--db-host to the new primary",
              {{"server", context.connection.server()}}));
}

void check_clock(CheckContext& context, Findings& findings) {
  const base::Time here = context.now();
  const base::Time there = checks::server_time(context.connection);
  const auto apart = std::chrono::abs(there - here);
  if (apart <= kClockTolerance)
    return findings.ok(Message("the clocks of this host and of the database are synchronized"));
  const std::vector<base::MessageValue> values = {
      {"time", std::chrono::round<std::chrono::seconds>(apart)}};
  findings.warn(there > here ? Message("the database's clock is {time} ahead of this host's clock. "
                                       "Synchronize both clocks (NTP)",
                                       values)
                             : Message("the database's clock is {time} behind this host's clock. "
                                       "Synchronize both clocks (NTP)",
                                       values));
}

void check_zone_of_days(CheckContext& context, Findings& findings) {
  const rollups::RollupState state = rollups::read_state(context.connection);
  const std::string& counted = state.zone.name();
  const std::string site = context.site.cms.time_zone(context.connection).name();
  if (state.zones.last().name() != site) {
    return findings.warn(
        Message("the site's time zone is now {zone}, but statistics still use the {counted} "
                "time zone. The workers detect the new time zone within a minute, or later if "
                "a version 0.3 worker was running today or yesterday",
                {{"counted", counted}, {"zone", site}}));
  }
  if (counted == site)
    return findings.ok(Message("statistics use the {zone} time zone", {{"zone", site}}));
  findings.ok(
      Message("statistics use the {counted} time zone, and will use the {zone} time zone from "
              "{time}",
              {{"counted", counted},
               {"time", base::to_rfc3339(state.zones.last_since())},
               {"zone", site}}));
}

// The maintenance timer runs on only one host. If the host with the maintenance timer is removed,
// only this check shows that maintenance has stopped.
void check_maintenance(CheckContext& context, Findings& findings) {
  constexpr std::chrono::days kLongest{2};
  const auto stored = store::read_value(context.connection, store::kMaintainedAt);
  const auto maintained_at = base::from_datetime(stored.value_or(""));
  const base::Time since = maintained_at ? *maintained_at : db::migrated_at(context.connection);
  // The stored time may be in the future if the clock of the host that stored it was fast.
  if (std::chrono::abs(context.now() - since) <= kLongest) {
    return findings.ok(
        maintained_at
            ? Message("maintenance was completed at {time}", {{"time", base::to_rfc3339(since)}})
            : Message("maintenance has not run yet, because the tables are new"));
  }
  findings.warn(Message(
      "maintenance has not been completed since {time}, so IP addresses and votes may be kept "
      "for longer than the settings allow. On the host that runs the maintenance timer, run "
      "systemctl list-timers 'ratingd*' and check the maintenance service's log",
      {{"time", base::to_rfc3339(since)}}));
}

void check_settings(CheckContext& context, Findings& findings) {
  const auto stored = store::load_settings(context.connection);
  for (const auto& problem : stored.problems) findings.warn(problem.message);
  if (stored.problems.empty()) findings.ok(Message("all stored settings are valid"));
}

// A database check. All checks with Part::site need tables with the correct schema.
struct Check {
  Subject subject;
  void (*run)(CheckContext& context, Findings& findings);
  Part part;
};

std::vector<Check> database_checks() {
  return {
      {{"clock", Message("Clocks"),
        Message("The clocks of the web server and the database differ. Synchronize both clocks.")},
       check_clock,
       Part::server},
      {{"durability", Message("Crash safety"),
        Message("If the database server crashes, the most recent votes may be lost. If you cannot "
                "accept this risk, change the configuration of the database server.")},
       check_durability,
       Part::server},
      {{"writes", Message("Storing votes"),
        Message(
            "The database server does not accept votes. Ask its administrator to allow writes.")},
       check_writes,
       Part::server},
      {{"encryption", Message("Database connection"),
        Message("The connection to the database server is not encrypted or not verified. Set up "
                "the connection as described in docs/several-hosts.md.")},
       check_encryption,
       Part::server},
      {{"excess", Message("Unneeded database privileges"),
        Message("ratingd’s database account has more privileges than it needs. Revoke the "
                "unneeded privileges.")},
       check_excess,
       Part::server},
      {{"rights", Message("Database privileges"),
        Message("ratingd’s database account lacks required privileges. Run “ratingctl grants” on "
                "the server, and execute the SQL statements that it prints.")},
       check_privileges,
       Part::site},
      {{"engine", Message("Table storage engine"),
        Message("Some tables do not support transactions, so totals may become incorrect. "
                "Convert ratingd’s tables to InnoDB.")},
       check_engine,
       Part::site},
      {{"zone", Message("Time zone"),
        Message("Statistics do not use the time zone from Settings > General. Ask the server’s "
                "administrator to update all ratingd workers.")},
       check_zone_of_days,
       Part::site},
      {{"maintenance", Message("Nightly maintenance"),
        Message("IP addresses and votes may be kept for longer than the settings allow. Run “sudo "
                "ratingctl maintain” on the server, and check the timer for nightly maintenance.")},
       check_maintenance,
       Part::site},
      {{"settings", Message("Settings"),
        Message("A stored setting has no effect. Choose another value in Ratings > Settings.")},
       check_settings,
       Part::site},
  };
}

// Behind a proxy, the requests of many visitors come from the proxy's address. nginx's realip
// module can restore the visitors' addresses.
void check_proxies(const runtime::MetricsTable& table, base::Time, Findings& findings) {
  constexpr std::uint64_t kTooMany = 50;
  const auto visitors = runtime::clients_per_address(table);
  if (visitors < kTooMany)
    return findings.ok(Message("no proxy seems to hide the visitors' addresses"));
  findings.warn(
      Message("the X-Forwarded-For or Forwarded header contained the addresses of the last "
              "{visitors} visitors, but nginx saw the same address for all these visitors, so "
              "they share the limits for this address. Configure nginx for your proxy "
              "(docs/proxies.md), but only if this address belongs to your proxy",
              {{"visitors", static_cast<std::int64_t>(visitors)}}));
}

// Browsers send an Origin or Sec-Fetch-Site header with each vote. If a proxy removes both headers,
// all new visitors in a network who use the same browser share one vote. A few votes without Origin
// and Sec-Fetch-Site are not reported, because an operator may have cast votes with curl to test
// the service.
void check_browsers(const runtime::MetricsTable& table, base::Time now, Findings& findings) {
  constexpr std::uint64_t kEnoughVotes = 20;
  const auto voted_at = runtime::last_votes(table);
  const base::Time since = now - kRecent;
  if (voted_at.of_browser >= since)
    return findings.ok(Message("votes by new voters have the headers that browsers send"));
  if (voted_at.of_program < since)
    return findings.ok(Message("no new voters have voted in the last day"));
  if (voted_at.programs_in_a_row < kEnoughVotes) {
    return findings.ok(
        Message("fewer than {limit} votes by new voters lacked the headers that browsers send",
                {{"limit", static_cast<std::int64_t>(kEnoughVotes)}}));
  }
  findings.warn(Message(
      "in the last day, no vote by a new voter had an Origin or Sec-Fetch-Site header, which "
      "browsers send. If a proxy or CDN removes these headers, configure it to forward them. "
      "Without these headers, new visitors in the same network share one vote (docs/proxies.md)"));
}

// A person seldom changes a vote. A program that votes for many people changes the same vote again
// and again.
void check_shared_votes(const runtime::MetricsTable& table, base::Time now, Findings& findings) {
  if (runtime::last_network_changes(table) < now - kRecent) {
    return findings.ok(
        Message("votes without a cookie, token, ticket or login were rarely "
                "changed"));
  }
  findings.warn(
      Message("in the last day, votes without a cookie, token, ticket or login were changed "
              "more than 100 times in an hour. A server, an app or a proxy sends several "
              "people's votes as if they came from one voter, so only one of their votes for "
              "each object counts. Send tickets or device tokens (docs/headless.md)"));
}

}  // namespace

void check_database(const Installation& installation, db::Connection& connection, base::Time now,
                    std::chrono::milliseconds time_limit, std::vector<Finding>& report) {
  const auto& [database, cms, part] = installation;
  CheckContext context{.site = installation,
                       .connection = connection,
                       .names = {database.name, connection.table_prefix(), cms.grants()},
                       .started_at = now,
                       .time_limit = time_limit};
  bool has_tables = false;
  if (part != Part::server) {
    has_tables = run_check(
        {"schema", Message("Rating tables"), Message("Run “sudo ratingctl setup” on the server.")},
        report, [&](Findings& findings) { check_schema(context, findings); });
    if (!context.is_late()) cms.check(connection, report);
  }
  for (const Check& check : database_checks()) {
    if (part != Part::all && part != check.part) continue;
    if (check.part == Part::site && !has_tables) continue;
    run_check(check.subject, report, [&](Findings& findings) {
      context.is_late() ? findings.unchecked(not_checked()) : check.run(context, findings);
    });
  }
}

void check_traffic(const runtime::MetricsTable* table, const std::string& why_not, base::Time now,
                   std::vector<cms::Finding>& report) {
  const auto run = [&](const Subject& subject, const auto& check) {
    cms::run_check(subject, report, [&](Findings& findings) {
      table == nullptr ? findings.ok("not known: " + why_not) : check(*table, now, findings);
    });
  };
  run({"proxies", Message("Visitor IP addresses behind a proxy"),
       Message("Many visitors seem to have the same IP address, so they share the limits for "
               "this address. If the site is behind a proxy or CDN, configure the web server "
               "to accept the visitors’ addresses from the proxy or CDN.")},
      check_proxies);
  run({"browsers", Message("Votes without browser headers"),
       Message("A proxy or CDN in front of the site seems to remove request headers. Configure the "
               "proxy or CDN to forward the Origin and Sec-Fetch-Site headers. Without these "
               "headers, several visitors from the same network may count as one visitor.")},
      check_browsers);
  run({"shared_votes", Message("Votes from several people counted as one vote"),
       Message("A server, an app or a proxy sends several people’s votes as if they came from one "
               "voter. Ask the developer of the server or app to send tickets or device tokens.")},
      check_shared_votes);
}

}  // namespace checks
