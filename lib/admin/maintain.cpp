#include <fmt/core.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "adapters/adapters.h"
#include "admin/commands.h"
#include "admin/network.h"
#include "admin/output.h"
#include "base/clock.h"
#include "base/message.h"
#include "rollups/batch_log.h"
#include "rollups/rollup_state.h"
#include "store/front_end_visitors.h"
#include "store/reasons.h"
#include "store/settings_store.h"
#include "transfer/clean.h"
#include "transfer/orphans.h"
#include "transfer/retention.h"

namespace admin {
namespace {

// The start of the site's day "months" before today; in a shorter month, its last day.
base::Time months_ago(const base::Zone& zone, base::Time now, int months) {
  const std::chrono::year_month_day today(zone.day_of(now));
  auto day = today - std::chrono::months(months);
  if (!day.ok()) day = day.year() / day.month() / std::chrono::last;
  return zone.start_of(day);
}

void fold_votes(db::Connection& connection, int months) {
  if (months == 0) {
    std::puts("votes are kept: retention_months is 0");
    return;
  }
  const base::Zone zone = rollups::stored_zone(connection);
  const base::Time before = months_ago(zone, base::SystemClock().now(), months);
  const std::uint64_t rolled_up = transfer::roll_up_old_ratings(connection, before);
  fmt::print("replaced {} older than {} with sums\n", base::counted(rolled_up, "vote", "votes"),
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

// Data that workers of version 0.1 store until they are replaced. This version does not read it.
void delete_fingerprints(db::Connection& connection) {
  connection.execute("DELETE FROM {prefix}ratingd_fingerprints");
}

// Who the visitors of other front ends are is not kept longer than their votes.
void delete_visitors(db::Connection& connection) {
  const std::size_t deleted = store::remove_all_unused_visitors(connection);
  fmt::print("deleted {} of visitors without votes\n", base::counted(deleted, "name", "names"));
}

// Workers of 0.2 leave the reasons of votes that they delete or change.
void delete_reasons(db::Connection& connection) {
  const std::size_t deleted = store::remove_unused_reasons(connection);
  fmt::print("deleted {} without votes\n", base::counted(deleted, "reason", "reasons"));
}

// Returns the number of all ratings.
std::int64_t print_orphans(const std::vector<transfer::Orphan>& orphans) {
  struct Sums {
    std::int64_t objects = 0, ratings = 0;
  };
  std::map<std::string, Sums> types;
  std::int64_t ratings = 0;
  for (const transfer::Orphan& orphan : orphans) {
    Sums& sums = types[orphan.object.type];
    ++sums.objects;
    sums.ratings += orphan.ratings;
    ratings += orphan.ratings;
  }
  if (types.empty()) std::puts("all rated posts and comments exist");
  for (const auto& [type, sums] : types) {
    print_line(fmt::format("{}: {}, with {}", type,
                           base::counted(sums.objects, "is deleted", "are deleted"),
                           base::counted(sums.ratings, "rating", "ratings")));
  }
  return ratings;
}

void remove_orphans(db::Connection& connection, const std::vector<transfer::Orphan>& orphans,
                    std::int64_t ratings) {
  std::uint64_t removed = 0;
  {
    Progress progress("removing");
    for (const auto& [object, count] : orphans) {
      const auto report = transfer::clean(
          connection, transfer::CleanScope::ratings,
          {.object_id = object.id, .object_type = object.type}, [&](std::uint64_t more) {
            // More may have been added since they were counted.
            progress(static_cast<std::int64_t>(removed + more), ratings);
          });
      removed += report.ratings;
    }
  }
  fmt::print("removed {}\n", base::counted(removed, "rating", "ratings"));
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

int maintain_site(const Invocation& call) {
  db::Connection connection = connect(call.config, kShortWait);
  if (const auto word = call.value("orphans")) {
    return handle_orphans(connection, call.config, *word);
  }
  const auto settings = store::load_settings(connection).settings;
  erase_addresses(connection, settings.address_retention);
  delete_fingerprints(connection);
  fold_votes(connection, settings.retention_months);
  delete_visitors(connection);
  delete_reasons(connection);
  rollups::forget_batches(connection);
  return 0;
}

}  // namespace

// The nightly unit is the same for a site and for a network.
int maintain(const Invocation& call) {
  const config::Network& network = call.config.network;
  const bool is_for_all = network.serves_all && network.blog_id == 1;
  return is_for_all ? run_for_all_sites(call, maintain_site) : maintain_site(call);
}

}  // namespace admin
