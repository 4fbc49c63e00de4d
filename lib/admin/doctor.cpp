#include "admin/doctor.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "admin/shared_metrics.h"
#include "base/origin.h"
#include "db/endpoint.h"
#include "db/migrations.h"
#include "identity/secrets.h"
#include "rollups/rollup_state.h"
#include "store/grants.h"
#include "store/inspection.h"
#include "store/settings_store.h"
#include "wordpress/site_reader.h"
#include "wordpress/users.h"

namespace admin {
namespace {

constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::seconds kClockTolerance{2};

// The findings about one subject.
class Notes {
 public:
  Notes(std::string subject, std::vector<Finding>& findings)
      : subject_(std::move(subject)), findings_(findings) {}

  void ok(std::string text) { add(Health::ok, std::move(text)); }
  void warn(std::string text) { add(Health::warn, std::move(text)); }
  void fail(std::string text) { add(Health::fail, std::move(text)); }

 private:
  void add(Health health, std::string text) {
    findings_.push_back({health, subject_, std::move(text)});
  }

  const std::string subject_;
  std::vector<Finding>& findings_;
};

// What the checks of the database look at.
struct CheckContext {
  const config::Config& config;
  const base::Clock& clock;
  db::Connection& connection;
  wordpress::SiteReader wp;
  store::GrantNames names;
};

void check_secret(const config::Config& config, Notes& notes) {
  const std::string file = config.secret_file.string();
  static_cast<void>(identity::read_secrets(config.secret_file));  // throws if it is of no use
  struct stat status {};
  stat(file.c_str(), &status);  // it was read just now
  if ((status.st_mode & 07777U & ~0640U) != 0) {
    notes.fail(file +
               " is accessible to other accounts than its owner and its group's readers; run: " +
               "chmod 0640 " + file);
  } else if (status.st_uid != 0 && status.st_uid != geteuid()) {
    notes.warn(file + " belongs to another account, which may change it; run: chown root " + file);
  } else {
    notes.ok(file);
  }
}

config::DatabaseTls configured_tls(const CheckContext& context) {
  const auto servers = config::servers_of(context.config.database);
  const auto server = std::ranges::find(servers, context.connection.server(), config::name_of);
  return config::tls_of(*server, context.config.database.tls);
}

void check_encryption(CheckContext& context, Notes& notes) {
  const std::string& server = context.connection.server();
  const std::string cipher = store::session_cipher(context.connection);
  const config::DatabaseTls tls = configured_tls(context);
  if (cipher.empty()) {
    if (tls == config::DatabaseTls::off && !context.config.database.tls) {
      return notes.ok("none, as " + server + " is on this host");
    }
    return notes.warn("sessions with " + server +
                      " are not encrypted; set --db-tls=verify unless it is on this host");
  }
  if (tls == config::DatabaseTls::verify) {
    return notes.ok(cipher + ", and the certificate of " + server + " is verified");
  }
  notes.warn(
      cipher + ", but the certificate of " + server +
      " is not verified: a server that impersonates it gets the password; set --db-tls=verify");
}

void check_schema(CheckContext& context, Notes& notes) {
  const int version = db::schema_version(context.connection, context.config.table_prefix);
  if (db::can_run_on(version)) {
    notes.ok("version " + std::to_string(version));
  } else if (version == 0) {
    notes.fail(db::advice_for(version) +
               ". If they are there, this account may not read them; run what this prints: "
               "ratingctl grants");
  } else {
    notes.fail(db::advice_for(version));
  }
}

void check_rights(CheckContext& context, Notes& notes) {
  bool complete = true;
  for (const store::Right& right : store::rights_of_workers(context.names)) {
    if (store::has_right(context.connection, right)) continue;
    complete = false;
    notes.fail("the account lacks " + to_words(right) + "; run what this prints: ratingctl grants");
  }
  if (complete) notes.ok("the account has the rights that the workers require");
}

void check_excess(CheckContext& context, Notes& notes) {
  const std::vector<store::Right> allowed = store::rights_of_workers(context.names);
  const auto beyond = store::rights_beyond(allowed, store::shown_grants(context.connection));
  for (const std::string& right : beyond) {
    notes.warn("the account has more rights than the workers require: " + right +
               "; revoke it, or use a separate account for the workers (ratingctl grants)");
  }
  if (beyond.empty()) notes.ok("the account has no other rights");
}

void check_engine(CheckContext& context, Notes& notes) {
  const auto tables = store::tables_without_innodb(context.connection,
                                                   db::table_names(context.config.table_prefix));
  for (const std::string& table : tables) {
    notes.fail(table + " does not support transactions; run: ALTER TABLE " + table +
               " ENGINE=InnoDB");
  }
  if (tables.empty()) notes.ok("all tables support transactions");
}

void check_durability(CheckContext& context, Notes& notes) {
  const std::int64_t policy = store::flush_policy(context.connection);
  if (policy == 1) return notes.ok("a vote is on disk before it is answered");
  notes.warn(
      "a crash of the database's host may lose votes that were answered; set "
      "innodb_flush_log_at_trx_commit to 1, it is " +
      std::to_string(policy));
}

void check_clock(CheckContext& context, Notes& notes) {
  const base::Time here = context.clock.now();
  const base::Time there = store::server_time(context.connection);
  const auto apart = std::chrono::abs(there - here);
  if (apart <= kClockTolerance) return notes.ok("as the database's");
  const auto seconds = std::chrono::round<std::chrono::seconds>(apart).count();
  notes.warn("the database's clock is " + std::to_string(seconds) + " seconds " +
             (there > here ? "ahead of" : "behind") + " this host's; synchronize both (NTP)");
}

void check_address(CheckContext& context, Notes& notes, const std::string& given,
                   const char* option) {
  const auto stored = context.wp.option(context.connection, option);
  const std::string url = given.empty() ? stored.value_or("") : given;
  if (base::origin_of(url)) {
    notes.ok(std::string(option) + " is " + url);
  } else if (stored) {
    notes.fail(std::string(option) + " is not an address that browsers send as an origin: " + url +
               "; correct it, or set --wp-" + option);
  } else {
    notes.fail("the CMS has no option " + std::string(option) +
               "; check the table prefix, or set --wp-" + option);
  }
}

// WordPress has its REST API below the path of home, and scripts of its pages ask there. A base
// path that is not below /wp-json is another API's, of which only the site is checked.
void check_base_path(CheckContext& context, Notes& notes) {
  const std::string& given = context.config.home;
  const auto home = base::path_of(
      given.empty() ? context.wp.option(context.connection, "home").value_or("") : given);
  if (!home) return;  // the address has been found wrong
  const std::string& base_path = context.config.base_path;
  const std::size_t rest_base = base_path.find("/wp-json/");
  const bool agrees = rest_base == std::string::npos ? base_path.starts_with(*home + "/")
                                                     : base_path.substr(0, rest_base) == *home;
  if (agrees) return notes.ok("base-path is " + base_path);
  const std::string rest = rest_base == std::string::npos ? base_path : base_path.substr(rest_base);
  notes.warn("base-path is " + base_path + ", but the site is at " + *home +
             "/, where its pages ask " + *home + rest +
             "; change base-path, and the path in the files for nginx " + "(docs/install.md)");
}

void check_addresses(CheckContext& context, Notes& notes) {
  check_address(context, notes, context.config.home, "home");
  check_address(context, notes, context.config.siteurl, "siteurl");
  check_base_path(context, notes);
}

// The option that WordPress sets with the first application password
// (WP_Application_Passwords::is_in_use()); without it WordPress ignores Basic credentials.
void check_app_passwords(CheckContext& context, Notes& notes) {
  constexpr const char* kInUse = "using_application_passwords";
  const auto in_use =
      context.config.network.exists
          ? wordpress::Users(context.config).network_option(context.connection, kInUse)
          : context.wp.option(context.connection, kInUse);
  if (in_use && !in_use->empty() && *in_use != "0") return notes.ok("in use");
  notes.warn(
      "none exists, so Basic credentials are ignored; to use curl or an app as "
      "an administrator, create one on WordPress's profile page");
}

void check_zone(CheckContext& context, Notes& notes) {
  const rollups::RollupState state =
      rollups::RollupStateStore(context.config.table_prefix).read(context.connection);
  const std::string& counted = state.zone.name();
  const std::string site = context.wp.time_zone(context.connection).name();
  if (counted != site) {
    notes.warn("days are counted in " + counted + ", the site's zone when they were last summed, " +
               "and it is " + site + " now; run: ratingctl rebuild");
  }
  if (state.rebuild) {
    notes.warn(
        "a rebuild of the sums is running or was interrupted, and votes take longer until they "
        "are complete; if none is running, run: ratingctl rebuild");
  }
  if (counted == site && !state.rebuild) notes.ok(site);
}

// Behind a proxy, requests tell of ever new visitors but come from the proxy's address, unless
// nginx's realip module puts the visitor's in its place.
void check_proxies(const config::Config& config, Notes& notes) {
  constexpr std::uint64_t kTooMany = 50;
  const auto memory = look_at_metrics(config);
  if (!memory) return notes.ok("not known: " + memory.error());
  const auto visitors = base::visitors_of_one_address((*memory)->as<base::MetricsTable>());
  if (visitors < kTooMany) return notes.ok("no single proxy seen");
  notes.warn("the last " + std::to_string(visitors) +
             " visitors that X-Forwarded-For or Forwarded name share one address and its "
             "limits; only if it is the address of your own proxy, configure nginx for it "
             "(docs/proxies.md)");
}

// Browsers send one of two headers with each vote. Where a proxy removes both, all visitors of a
// network look like one program.
void check_browsers(const config::Config& config, const base::Clock& clock, Notes& notes) {
  constexpr std::chrono::days kRecent{1};
  const auto memory = look_at_metrics(config);
  if (!memory) return notes.ok("not known: " + memory.error());
  const auto voted_at = base::last_votes((*memory)->as<base::MetricsTable>());
  const base::Time since = clock.now() - kRecent;
  if (voted_at.of_browser >= since) return notes.ok("first votes show that browsers sent them");
  if (voted_at.of_program < since) return notes.ok("no vote of a new voter within the last day");
  notes.warn(
      "no vote of a new voter had a header Origin or Sec-Fetch-Site within the last day, as "
      "browsers send them: if a proxy or CDN removes them, let them through, since without them "
      "all new voters of a network count as one program (docs/proxies.md)");
}

void check_settings(CheckContext& context, Notes& notes) {
  const auto stored = store::SettingsStore(context.config.table_prefix).load(context.connection);
  for (const std::string& problem : stored.problems) notes.warn(problem);
  if (stored.problems.empty()) notes.ok("all stored settings are valid");
}

struct Check {
  const char* subject;
  void (*run)(CheckContext& context, Notes& notes);
};

constexpr Check kChecks[] = {
    {"address", check_addresses},     {"app passwords", check_app_passwords},
    {"clock", check_clock},           {"durability", check_durability},
    {"encryption", check_encryption}, {"excess", check_excess},
};

// These have nothing to look at while the schema is not right.
constexpr Check kChecksOfTables[] = {
    {"rights", check_rights},
    {"engine", check_engine},
    {"zone", check_zone},
    {"settings", check_settings},
};

// Runs a check; what it throws is a finding, since the checks behind it are still worth making.
// Returns whether nothing failed.
bool run(const std::string& subject, std::vector<Finding>& findings,
         const std::function<void(Notes&)>& check) {
  Notes notes(subject, findings);
  const std::size_t before = findings.size();
  try {
    check(notes);
  } catch (const std::exception& exception) {
    notes.fail(exception.what());
  }
  return std::none_of(findings.begin() + static_cast<std::ptrdiff_t>(before), findings.end(),
                      [](const Finding& finding) { return finding.health == Health::fail; });
}

void run_all(std::span<const Check> checks, CheckContext& context, std::vector<Finding>& findings) {
  for (const Check& check : checks) {
    run(check.subject, findings, [&](Notes& notes) { check.run(context, notes); });
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
  std::vector<Finding> findings;
  run("secret", findings, [&](Notes& notes) { check_secret(config, notes); });
  run("proxies", findings, [&](Notes& notes) { check_proxies(config, notes); });
  run("browsers", findings, [&](Notes& notes) { check_browsers(config, clock, notes); });
  std::optional<db::Connection> connection;
  run("database", findings, [&](Notes& notes) {
    connection.emplace(db::endpoint_of(config.database, kPatience));
    notes.ok(config.database.name + ", as " + config.database.user);
  });
  if (!connection) return findings;

  CheckContext context{config, clock, *connection, wordpress::SiteReader(config.table_prefix),
                       store::grant_names(config)};
  const bool has_tables =
      run("schema", findings, [&](Notes& notes) { check_schema(context, notes); });
  run_all(kChecks, context, findings);
  if (has_tables) run_all(kChecksOfTables, context, findings);
  return findings;
}

int doctor(const config::Config& config) {
  bool failed = false;
  for (const Finding& finding : examine(config, base::SystemClock())) {
    fmt::print("{:<4}  {:<13}  {}\n", word_for(finding.health), finding.subject, finding.text);
    failed = failed || finding.health == Health::fail;
  }
  return failed ? 1 : 0;
}

}  // namespace admin
