// The commands for ratingd's tables: `migrate`, `verify`, `rebuild`, `maintain`, `drop` and
// `demo-data`.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/adapters.h"
#include "admin/commands.h"
#include "admin/network.h"
#include "admin/output.h"
#include "analytics/materialized_lists.h"
#include "base/clock.h"
#include "base/message.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "checks/inspection.h"
#include "db/endpoint.h"
#include "db/migrations.h"
#include "rollups/repair.h"
#include "rollups/rollup_state.h"
#include "rollups/verification.h"
#include "rollups/writers.h"
#include "store/front_end_visitors.h"
#include "store/named_values.h"
#include "store/reasons.h"
#include "store/settings_store.h"
#include "store/site.h"
#include "transfer/clean.h"
#include "transfer/retention.h"
#include "votes/demo_votes.h"

namespace admin {
namespace {

// A numeric flag of the `demo-data` command, such as --votes.
struct Quantity {
  std::string_view name;
  std::int64_t least, most;
  std::int64_t votes::DemoSite::*place;
};
constexpr std::string_view kInventedPosts = "invent-posts";
constexpr std::array kQuantities = {
    Quantity{"votes", 1, 1'000'000'000, &votes::DemoSite::votes},
    Quantity{"objects", 1, 10'000'000, &votes::DemoSite::objects},
    Quantity{"days", 1, 3650, &votes::DemoSite::days},
};

bool read_flag(const std::string& name, const std::string& value, votes::DemoSite& site) {
  if (name == kInventedPosts) return true;
  const auto number = base::parse_number<std::int64_t>(value);
  if (!number) return false;
  if (name == "seed") {
    site.seed = static_cast<std::uint64_t>(*number);
    return true;
  }
  for (const Quantity& quantity : kQuantities) {
    if (name != quantity.name) continue;
    site.*quantity.place = *number;
    return quantity.least <= *number && *number <= quantity.most;
  }
  return false;
}

// Selects the site's posts and the number of demo votes. Returns an error message if there are not
// enough posts.
std::optional<std::string> choose_posts(db::Connection& connection, const Invocation& call,
                                        votes::DemoSite& site) {
  const auto types = store::load_settings(connection).settings.enabled_object_types;
  auto posts = call.has(std::string(kInventedPosts))
                   ? std::nullopt
                   : adapters::make_cms(call.config)
                         ->newest_posts(connection, types, static_cast<std::size_t>(site.objects));
  if (posts) {
    if (posts->empty()) return "demo-data rates published content. Publish a post or a page first.";
    site.ids = *std::move(posts);
    site.objects = std::ssize(site.ids);
  }
  const std::int64_t most = site.objects * votes::kMostDemoVotesOfObject;
  if (!call.has("votes")) site.votes = std::min(site.votes, most);
  if (site.votes <= most) return std::nullopt;
  return fmt::format("demo-data stores at most {} votes on {}. Choose fewer votes or more objects.",
                     most, base::counted(site.objects, "object", "objects"));
}

// Returns the start of the day that is "months" months before today, in the site's time zone. For
// example, one month before March 31 is the last day of February.
base::Time months_ago(const base::ZoneHistory& zones, base::Time now, int months) {
  const std::chrono::year_month_day today(zones.day_of(now));
  auto day = today - std::chrono::months(months);
  if (!day.ok()) day = day.year() / day.month() / std::chrono::last;
  return zones.start_of(day);
}

void fold_votes(db::Connection& connection, int months) {
  if (months == 0) {
    std::puts("votes are kept: retention_months is 0");
    return;
  }
  const base::ZoneHistory zones = rollups::stored_zones(connection);
  const base::Time before = months_ago(zones, base::SystemClock().now(), months);
  const std::uint64_t aggregated = transfer::aggregate_old_ratings(connection, before);
  fmt::print("replaced {} older than {} with sums\n", base::counted(aggregated, "vote", "votes"),
             base::counted(months, "month", "months"));
}

void erase_addresses(db::Connection& connection, std::chrono::days retention) {
  if (retention.count() == 0) {
    std::puts("addresses are kept: address_retention_days is 0");
    return;
  }
  const base::Time before = base::SystemClock().now() - retention;
  const std::int64_t erased = transfer::erase_old_addresses(connection, before);
  fmt::print("erased {} of votes older than {}\n", base::counted(erased, "address", "addresses"),
             base::counted(retention.count(), "day", "days"));
}

// Deletes the names of visitors without votes, because a name must not be kept longer than its
// visitor's votes.
void delete_visitors(db::Connection& connection) {
  const std::size_t deleted = store::remove_all_unused_visitors(connection);
  fmt::print("deleted {} of visitors without votes\n", base::counted(deleted, "name", "names"));
}

// Deletes voters without votes. The rows of today's voters are kept, because the rate limits need
// them until the end of the day.
void forget_voters(db::Connection& connection, std::chrono::seconds cooldown) {
  const auto forgotten =
      transfer::forget_idle_voters(connection, base::SystemClock().now(), cooldown);
  fmt::print("deleted {} without votes\n", base::counted(forgotten.deleted, "voter", "voters"));
}

// Deletes reasons whose votes no longer exist. Version 0.2 workers leave reasons behind when they
// delete or change votes.
void delete_reasons(db::Connection& connection) {
  const std::size_t deleted = store::remove_unused_reasons(connection);
  fmt::print("deleted {} without votes\n", base::counted(deleted, "reason", "reasons"));
}

std::string advice_after_drop(const Invocation& call) {
  const config::Network& network = call.config.network;
  std::string advice =
      network.serves_all && network.blog_id != 1
          ? "The workers answer 503 for this site."
          : "Running workers end by themselves. Afterwards run: ratingctl free-memory";
  if (network.serves_all && !call.has(kAllSites)) {
    advice +=
        "\nThe other sites of the network keep their data. To drop the data of all sites, run: " +
        command_of(call.config, "drop --all-sites");
  }
  return advice;
}

std::string count_of(std::int64_t ratings, std::int64_t aggregates) {
  const std::string text = base::counted(ratings, "rating", "ratings");
  if (aggregates == 0) return text;
  return text + " and " + base::counted(aggregates, "aggregate", "aggregates");
}

// Prints how many rated objects no longer exist, and returns the total number of ratings on these
// objects.
std::int64_t print_orphans(const std::vector<transfer::Orphan>& orphans) {
  struct Sums {
    std::int64_t objects = 0, ratings = 0, aggregates = 0;
  };
  std::map<std::string, Sums> types;
  std::int64_t ratings = 0;
  for (const transfer::Orphan& orphan : orphans) {
    Sums& sums = types[orphan.object.type];
    ++sums.objects;
    sums.ratings += orphan.ratings;
    sums.aggregates += orphan.aggregates;
    ratings += orphan.ratings;
  }
  if (types.empty()) std::puts("all rated posts and comments exist");
  for (const auto& [type, sums] : types) {
    print_line(fmt::format("{}: {}, with {}", type,
                           base::counted(sums.objects, "is deleted", "are deleted"),
                           count_of(sums.ratings, sums.aggregates)));
  }
  return ratings;
}

void remove_orphans(db::Connection& connection, const std::vector<transfer::Orphan>& orphans,
                    std::int64_t ratings) {
  std::int64_t removed = 0, aggregates = 0;
  {
    Progress progress("removing");
    for (const transfer::Orphan& orphan : orphans) {
      const auto report =
          transfer::clean(connection, transfer::CleanScope::ratings,
                          {.object_id = orphan.object.id, .object_type = orphan.object.type},
                          [&](std::uint64_t more) {
                            // The progress may exceed the total, because rows may have been added
                            // after the count.
                            progress(removed + static_cast<std::int64_t>(more), ratings);
                          });
      removed += static_cast<std::int64_t>(report.ratings);
      aggregates += static_cast<std::int64_t>(report.aggregates);
    }
  }
  fmt::print("removed {}\n", count_of(removed, aggregates));
}

int handle_orphans(db::Connection& connection, const config::Config& config,
                   const std::string& word) {
  if (word != config::kDefaultValue && word != "report" && word != "remove") {
    return refuse("--orphans must be report (the default) or remove");
  }
  const auto facets = store::load_settings(connection).settings.facets;
  const auto orphans = transfer::find_orphans(connection, *adapters::make_cms(config), facets);
  const std::int64_t ratings = print_orphans(orphans);
  if (word == "remove" && !orphans.empty()) {
    remove_orphans(connection, orphans, ratings);
  }
  return 0;
}

// Repairs the sums. Returns whether all sums match the votes after the repair.
bool repair_sums(db::Connection& connection) {
  const auto result = [&] {
    Progress progress("repairing");
    return rollups::Repair(connection, base::SystemClock().now()).run(std::ref(progress));
  }();
  if (result.rows > 0) analytics::invalidate_lists(connection);
  fmt::print("repaired {} of sums\n", base::counted(result.rows, "row", "rows"));
  if (!result.is_complete) {
    std::puts(
        "Some sums still differ, so another program may be writing to the tables. Run: "
        "ratingctl verify");
  }
  return result.is_complete;
}

// Repairs the sums if an upgrade requires a repair and no version 0.3 worker is running
// (rollups/repair.h).
void repair_sums_if_due(db::Connection& connection) {
  switch (rollups::repair_due(connection)) {
    case rollups::RepairDue::no:
      return;
    case rollups::RepairDue::later:
      std::puts("the sums are repaired once the workers of version 0.3 have ended");
      return;
    case rollups::RepairDue::now:
      repair_sums(connection);
  }
}

int maintain_site(const Invocation& call) {
  db::Connection connection = connect(call.config, kShortWait);
  require_tables(connection);
  if (const auto word = call.value("orphans")) {
    return handle_orphans(connection, call.config, *word);
  }
  const auto settings = store::load_settings(connection).settings;
  erase_addresses(connection, settings.address_retention);
  store::delete_old_salt(connection, store::life_of_salt(settings));
  fold_votes(connection, settings.retention_months);
  forget_voters(connection, settings.cooldown);
  delete_visitors(connection);
  delete_reasons(connection);
  rollups::forget_batches(connection);
  rollups::follow_zone(connection, adapters::make_cms(call.config)->time_zone(connection),
                       base::SystemClock().now());
  repair_sums_if_due(connection);
  store::save_value(connection, store::kMaintainedAt, base::to_datetime(base::SystemClock().now()));
  return 0;
}

// Maintains all sites. Monitoring and the `doctor` command read only the first site's last
// maintenance time. If the maintenance of any site fails, the first site's previous maintenance
// time is restored, so that monitoring notices the failure.
int maintain_all_sites(const Invocation& call) {
  const auto before = [&]() -> std::optional<std::string> {
    db::Connection connection = connect(call.config, kShortWait);
    if (db::schema_version(connection) == 0) return std::nullopt;
    return store::read_value(connection, store::kMaintainedAt);
  }();
  const int status = run_for_all_sites(call, maintain_site);
  if (status == 0) return 0;
  db::Connection connection = connect(call.config, kShortWait);
  if (before) {
    store::save_value(connection, store::kMaintainedAt, *before);
  } else {
    store::remove_value(connection, store::kMaintainedAt);
  }
  return status;
}

}  // namespace

db::Connection connect(const config::Config& config, std::chrono::seconds max_wait) {
  return db::Connection(db::endpoint_of(config, max_wait));
}

bool can_use_tables(db::Connection& connection, bool is_exact) {
  const int version = db::schema_version(connection);
  if (is_exact ? version == db::newest_version() : db::can_run_on(version)) return true;
  print_text(db::advice_for(version).text(), stderr);
  return false;
}

void require_tables(db::Connection& connection) {
  const int version = db::schema_version(connection);
  if (!db::can_run_on(version)) throw std::runtime_error(db::advice_for(version).text());
}

store::SettingChanges settings_of_new_site(const config::Config& config) {
  if (config.cms == config::CmsName::none) return {};
  return {{"object_check", "published"}};
}

void migrate_tables(const config::Config& config, const store::SettingChanges& of_new) {
  constexpr int kDenied = 1142;  // ER_TABLEACCESS_DENIED_ERROR
  constexpr std::chrono::seconds kWaitForRepair{30};
  db::Connection connection = connect(config);
  int applied = 0;
  try {
    db::Lease::create_table(connection);
    const db::Lease repairs =  // also excludes a rebuild by version 0.3
        rollups::lock_repairs(connection, kWaitForRepair, "A repair of the sums is under way.");
    const auto views = db::migrate(connection, [&](const db::Migration& migration) {
      fmt::print("applied {}\n", migration.name);
      ++applied;
    });
    for (const std::string& view : views) fmt::print("created the view {}\n", view);
    applied += static_cast<int>(views.size());
  } catch (const db::Failure& failure) {
    if (failure.code() != kDenied) throw;
    throw std::runtime_error(
        std::string(failure.what()) +
        "\nA new version needs privileges on new tables. First run: " +
        command_of(config, config.network.serves_all ? "grants --all-sites" : "grants") +
        " | mariadb");
  }
  if (!rollups::has_zone(connection)) {
    // An error from change_settings() is harmless: it only means that the network enforces the
    // setting.
    static_cast<void>(store::change_settings(connection, of_new));
    rollups::set_initial_zone(connection, adapters::make_cms(config)->time_zone(connection));
  }
  fmt::print("{}; schema version {}, days counted in {}\n", applied == 0 ? "nothing to do" : "done",
             db::schema_version(connection), rollups::read_state(connection).zone.name());
}

int migrate(const Invocation& call) {
  if (call.has(kAllSites)) return migrate_all_sites(call.config, call.has("new"));
  if (call.has("new")) return refuse("ratingctl: --new requires --all-sites.");
  migrate_tables(call.config, settings_of_new_site(call.config));
  return 0;
}

int verify(const Invocation& call) {
  db::Connection connection = connect(call.config);
  if (!can_use_tables(connection)) return 1;
  const auto differences = [&] {
    Progress progress("verifying");
    return rollups::find_mismatches(connection, std::ref(progress));
  }();
  for (const rollups::RollupMismatch& difference : differences) {
    print_line(fmt::format("{} differs: {}", difference.rollup, difference.row));
  }
  if (differences.empty()) {
    std::puts("all sums match the votes");
    return 0;
  }
  fmt::print("{} (at most {} are listed of each kind)\n",
             base::counted(differences.size(), "difference", "differences"),
             rollups::kMaxMismatches);
  return 1;
}

int rebuild(const Invocation& call) {
  db::Connection connection = connect(call.config);
  if (!can_use_tables(connection)) return 1;
  return repair_sums(connection) ? 0 : 1;
}

int drop(const Invocation& call) {
  db::Connection connection = connect(call.config);
  const int version = db::schema_version(connection);
  if (version > db::newest_version()) {
    fmt::print(
        "The tables have version {}, and this program does not know all of them. "
        "Use the version of ratingctl that created them.\n",
        version);
    return 1;
  }
  const auto tables = checks::own_tables(connection);
  const std::string place = call.config.database.name + " on " + connection.server();
  if (tables.empty()) {
    fmt::print("There are no tables of ratingd in {}.\n", place);
    return 0;
  }
  if (!call.has("confirm")) {
    for (const checks::OwnTable& table : tables) {
      fmt::print("{:<45} {}\n", table.name,
                 table.is_view ? "view"
                               : fmt::format("{} rows", checks::count_rows_of(connection, table)));
    }
    fmt::print("Nothing was removed. With --confirm these are permanently removed from {}.\n",
               place);
    return 0;
  }
  checks::remove(connection, tables);
  fmt::print("Removed all data of ratingd from {}. {}\n", place, advice_after_drop(call));
  return 0;
}

int make_demo_data(const Invocation& call) {
  votes::DemoSite site;
  site.until = base::SystemClock().now();
  for (const auto& [name, value] : call.flags) {
    if (read_flag(name, value, site)) continue;
    return refuse("--" + name + "=" + value +
                  " must be a positive number. The maximum of --days is 3650.");
  }
  db::Connection connection = connect(call.config);
  require_tables(connection);
  if (votes::has_votes(connection)) {
    return refuse("demo-data requires a site without votes, but this site has votes.");
  }
  if (const auto reason = choose_posts(connection, call, site)) return refuse(*reason);
  {
    Progress progress("votes");
    votes::store_demo_votes(connection, site,
                            [&](std::int64_t done) { progress(done, site.votes); });
  }
  {
    Progress progress("summing up");
    votes::sum_up_demo_voters(connection, [&](std::int64_t done) { progress(done, site.votes); });
  }
  fmt::print("stored {} on {}\n", base::counted(site.votes, "vote", "votes"),
             base::counted(site.objects, "object", "objects"));
  return 0;
}

// The nightly systemd unit runs the same command for a single site and for a network.
int maintain(const Invocation& call) {
  const config::Network& network = call.config.network;
  const bool is_for_all = network.serves_all && network.blog_id == 1;
  return is_for_all ? maintain_all_sites(call) : maintain_site(call);
}

}  // namespace admin
