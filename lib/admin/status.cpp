// The commands `status` and `free-memory`, which use the memory shared by the workers on this host.

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "admin/commands.h"
#include "admin/network.h"
#include "admin/output.h"
#include "base/message.h"
#include "base/timestamp.h"
#include "config/config.h"
#include "db/migrations.h"
#include "identity/ticket.h"
#include "limit/login_guard.h"
#include "rollups/rollup_state.h"
#include "rollups/verification.h"
#include "runtime/metrics.h"
#include "setup/site.h"
#include "votes/vote.h"
#include "votes/writer_turn.h"

namespace admin {
namespace {

using runtime::Count;
using runtime::CountGroup;
using runtime::Gauge;
using runtime::MetricsTable;
using votes::VoteResult;
using Shown = std::vector<runtime::Workers::Shown>;

void print(const char* name, const std::string& text) {
  print_text(fmt::format("{:<9} {}", name, text));
}

std::string of(std::uint64_t part, std::uint64_t whole) {
  return std::to_string(part) + " of " + std::to_string(whole);
}

std::uint64_t greatest(const Shown& workers, Gauge gauge) {
  std::uint64_t greatest = 0;
  for (const auto& worker : workers) greatest = std::max(greatest, worker.at(gauge));
  return greatest;
}

// Prints the workers. Reads the expected number of workers from their metrics, because the workers
// may not use this program's configuration file.
void print_workers(const Shown& workers) {
  if (workers.empty()) return print("workers", "none");
  const std::uint64_t latest = greatest(workers, Gauge::started_at);
  const base::Time started(std::chrono::seconds(static_cast<std::int64_t>(latest)));
  print("workers", of(workers.size(), greatest(workers, Gauge::processes)) +
                       ", the last one started at " + base::to_rfc3339(started));
  print("threads", of(sum(workers, Gauge::threads_busy), sum(workers, Gauge::threads)) + " busy");
  const std::uint64_t busy =
      sum(workers, Gauge::sessions_busy) + sum(workers, Gauge::analytics_sessions_busy);
  const std::uint64_t idle =
      sum(workers, Gauge::sessions_idle) + sum(workers, Gauge::analytics_sessions_idle);
  // Workers open sessions only when they need them, so the number of open sessions may be below the
  // limit.
  print("sessions", fmt::format("{} open, {} busy", busy + idle, busy));
}

// Returns a quantile of the measured times, such as "0.25 ms". For example, the quantile for a
// "share" of 0.5 is the median.
std::string quantile(const runtime::Distribution& measured, runtime::Bounds bounds, double share) {
  constexpr double kPerMillisecond = 1e6;
  const double wanted = share * static_cast<double>(measured.count());
  std::uint64_t below = 0;
  std::size_t bucket = 0;
  for (; bucket < bounds.size(); ++bucket) {
    below += measured.buckets[bucket];
    if (static_cast<double>(below) >= wanted) break;
  }
  const bool is_beyond = bucket == bounds.size();
  const auto bound = static_cast<double>(bounds[is_beyond ? bucket - 1 : bucket]);
  return fmt::format("{}{:g} ms", is_beyond ? "over " : "", bound / kPerMillisecond);
}

std::string durations(const runtime::Distribution& measured, runtime::Bounds bounds) {
  if (measured.count() == 0) return "";
  return "; half within " + quantile(measured, bounds, 0.5) + ", 99 % within " +
         quantile(measured, bounds, 0.99);
}

// Returns the number of requests whose status code begins with the digit "hundred".
std::uint64_t with_status(const runtime::RequestCounts& requests, int hundred) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < runtime::kStatuses.size(); ++i) {
    if (runtime::kStatuses[i] / 100 == hundred) sum += requests.statuses[i];
  }
  return sum;
}

std::uint64_t with_outcome(const MetricsTable& table, VoteResult::Outcome outcome) {
  std::uint64_t sum = 0;
  for (std::size_t by = 0; by < model::kIdentifications.size(); ++by) {
    sum += runtime::total_votes(table, static_cast<std::size_t>(outcome), by);
  }
  return sum;
}

std::uint64_t refused_votes(const MetricsTable& table) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < votes::kOutcomeNames.size(); ++i) {
    const auto outcome = static_cast<VoteResult::Outcome>(i);
    if (votes::is_refusal(outcome)) sum += with_outcome(table, outcome);
  }
  return sum;
}

void print_counts(const MetricsTable& table) {
  const auto count = [&](auto what) { return std::to_string(runtime::total(table, what)); };
  const runtime::RequestCounts requests = runtime::all_requests(table);
  print("requests", std::to_string(requests.count()) + ", " +
                        std::to_string(with_status(requests, 4)) + " refused, " +
                        std::to_string(with_status(requests, 5)) + " failed" +
                        durations(requests.durations, runtime::bounds_of_durations()));
  const auto count_of = [&](VoteResult::Outcome outcome) {
    return std::to_string(with_outcome(table, outcome));
  };
  print("votes", count_of(VoteResult::Outcome::stored) + " stored, " +
                     count_of(VoteResult::Outcome::unchanged) + " unchanged, " +
                     count_of(VoteResult::Outcome::withdrawn) + " withdrawn, " +
                     std::to_string(refused_votes(table)) + " refused, " +
                     count(CountGroup::vote_failed) + " failed");
  const runtime::Distribution commits =
      runtime::distribution(table, runtime::Measure::commit_duration);
  print("commits", std::to_string(commits.count()) + ", " +
                       base::counted(runtime::total(table, CountGroup::retry), "failed attempt",
                                     "failed attempts") +
                       durations(commits, runtime::bounds_of(runtime::Measure::commit_duration)));
  const std::uint64_t hits = runtime::total(table, Count::stats_cache_hit);
  print("cache", of(hits, hits + runtime::total(table, Count::stats_cache_miss)) + " found");
  print("limits", base::counted(runtime::total(table, CountGroup::limit), "request", "requests") +
                      " refused");
}

// Prints the contents of the workers' shared memory. The function does not need the database.
void print_host(const config::Config& config) {
  const auto memory = open_metrics(config);
  if (!memory) return print("workers", "unknown: " + memory.error());
  auto& table = (*memory)->as<MetricsTable>();
  print_workers(runtime::Workers(**memory, table).all());
  print_counts(table);
}

std::string sentence_for(int error) {
  switch (error) {
    case ENOENT:
      return "no worker of this site has run since the host was started";
    case EACCES:
      return "only root and the workers' account can read the workers' counters";
    case EINVAL:
      return "the workers run another version of ratingd";
    default:
      return std::strerror(error);
  }
}

}  // namespace

tl::expected<std::unique_ptr<const runtime::SharedMemory>, std::string> open_metrics(
    const config::Config& config) {
  return runtime::SharedMemory::open_read_only(config::metrics_segment_path(config),
                                               sizeof(runtime::MetricsTable))
      .map_error(sentence_for);
}

int status(const Invocation& call) {
  const config::Config& config = call.config;
  // The sites in a network share their workers and counters.
  if (!call.has(kAllSites) || config.network.blog_id == 1) print_host(config);
  db::Connection connection = connect(config);
  print("database", config.database.name + " on " + connection.server());
  const int version = db::schema_version(connection);
  fmt::print("schema    version {}, this program supports {}\n", version, db::newest_version());
  if (!can_use_tables(connection)) return 1;
  const rollups::RowEstimates rows = rollups::estimate_rows(connection);
  fmt::print("zone      {}\n", rollups::read_state(connection).zone.name());
  fmt::print("stored    about {} of {} on {}; {} held\n",
             base::counted(rows.votes, "vote", "votes"),
             base::counted(rows.voters, "voter", "voters"),
             base::counted(rows.totals, "object", "objects"), rows.held);
  return 0;
}

// Refuses while workers run, because new workers would not share memory with them.
int free_memory(const Invocation& call) {
  const config::Config& config = call.config;
  if (const auto memory = open_metrics(config)) {
    const auto workers = runtime::Workers(**memory, (*memory)->as<MetricsTable>()).all();
    if (!workers.empty()) {
      print_text(
          fmt::format("{}. Stop them first: systemctl stop {}.target",
                      base::counted(std::ssize(workers), "worker still runs", "workers still run"),
                      setup::site_in(config.runtime_dir).unit),
          stderr);
      return 1;
    }
  }
  bool was_there =
      runtime::SharedMemory::remove(config::segment_path(config, limit::kSegmentLayout));
  was_there |= runtime::SharedMemory::remove(config::metrics_segment_path(config));
  was_there |= runtime::SharedMemory::remove(config::sites_segment_path(config));
  was_there |=
      runtime::SharedMemory::remove(config::site_segment_path(config, votes::kWriterTurnLayout));
  was_there |=
      runtime::SharedMemory::remove(config::segment_path(config, identity::kUsedTicketsLayout));
  // Remove the cache memory for every possible cache size, because the stopped workers may have
  // used a different size.
  for (unsigned megabytes = 1; megabytes <= config::kMaxCacheMemory; ++megabytes) {
    was_there |= runtime::SharedMemory::remove(config::cache_segment_path(config, megabytes));
  }
  std::puts(was_there ? "Removed the workers' shared memory." : "No shared memory was found.");
  return 0;
}

}  // namespace admin
