#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/access.h"
#include "api/routes.h"
#include "base/timestamp.h"
#include "checks/health_checks.h"
#include "db/migrations.h"
#include "db/pool.h"
#include "handlers/handlers.h"
#include "model/rating.h"
#include "store/named_values.h"
#include "votes/vote.h"

namespace handlers {
namespace {

using runtime::CountGroup;
using runtime::Gauge;
using runtime::Measure;

constexpr double kPerSecond = 1e9;  // nanoseconds

struct Label {
  std::string_view name, value;
};
using Labels = std::initializer_list<Label>;

// Returns the shortest decimal text without an exponent that parses as "number".
std::string text_of(double number) {
  std::array<char, 64> text;
  return {
      text.data(),
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed).ptr};
}

// Writes metrics in the text format of Prometheus. Label values need no escaping, because they are
// literals, route patterns or ticket key names.
class Exposition {
 public:
  explicit Exposition(std::string& out) : out_(out) {}

  // Begins a metric family, which includes all samples up to the next call to begin().
  void begin(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    out_.append("# HELP ").append(name).append(" ").append(help).append("\n");
    out_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
  }

  void sample(Labels labels, std::uint64_t value) { write("", labels, {}, std::to_string(value)); }

  // Writes a histogram. Values above the last bound are counted only in the "+Inf" bucket. The
  // bounds and the sum are divided by "unit".
  void histogram(Labels labels, const runtime::Distribution& distribution, runtime::Bounds bounds,
                 double unit) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < distribution.buckets.size(); ++i) {
      count += distribution.buckets[i];
      const bool is_last = i == bounds.size();
      write("_bucket", labels, is_last ? "+Inf" : text_of(static_cast<double>(bounds[i]) / unit),
            std::to_string(count));
    }
    write("_sum", labels, {}, text_of(static_cast<double>(distribution.sum) / unit));
    write("_count", labels, {}, std::to_string(count));
  }

 private:
  void write(std::string_view suffix, Labels labels, const std::string& bound,
             const std::string& value) {
    out_.append(name_).append(suffix);
    char before = '{';
    const auto write_label = [&](std::string_view name, std::string_view text) {
      out_ += std::exchange(before, ',');
      out_.append(name).append("=\"").append(text).append("\"");
    };
    for (const Label& label : labels) write_label(label.name, label.value);
    if (!bound.empty()) write_label("le", bound);
    if (before == ',') out_ += '}';
    out_.append(" ").append(value).append("\n");
  }

  std::string& out_;
  std::string_view name_;
};

// --- Requests

struct Series {
  std::string method, route;
  runtime::RequestCounts counts;
};

// Returns the series that have counted at least one request. For each counter slot, returns only
// the first series that uses the slot.
std::vector<Series> all_series(const api::Core& core, const api::Front& front) {
  const runtime::Metrics& metrics = core.metrics;
  std::vector<Series> all;
  const std::vector<std::string> names = api::request_series(front.routes);
  std::set<std::size_t> slots;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!slots.insert(metrics.slot_of(i)).second) continue;
    const std::size_t blank = names[i].find(' ');
    Series series{names[i].substr(0, blank), names[i].substr(blank + 1),
                  runtime::requests(metrics.table(), metrics.slot_of(i))};
    if (series.counts.count() > 0) all.push_back(std::move(series));
  }
  return all;
}

void write_requests(Exposition& out, const api::Core& core, const api::Front& front) {
  const std::vector<Series> all = all_series(core, front);
  out.begin("ratingd_http_requests_total", "counter", "Number of answered requests.");
  for (const Series& series : all) {
    for (std::size_t i = 0; i < series.counts.statuses.size(); ++i) {
      const std::uint64_t count = series.counts.statuses[i];
      const bool is_known = runtime::kStatuses[i] != runtime::kOtherStatuses;
      const std::string status = is_known ? std::to_string(runtime::kStatuses[i]) : "other";
      if (count == 0) continue;
      out.sample({{"method", series.method}, {"route", series.route}, {"status", status}}, count);
    }
  }
  out.begin("ratingd_http_request_duration_seconds", "histogram",
            "Time from the complete request to its response, without sending the response.");
  for (const Series& series : all) {
    out.histogram({{"method", series.method}, {"route", series.route}}, series.counts.durations,
                  runtime::bounds_of_durations(), kPerSecond);
  }
}

// --- Tickets

// A ticket with an unknown key name is counted without an issuer, because a client must not be able
// to choose label values.
void write_tickets(Exposition& out, const runtime::Metrics& metrics) {
  out.begin("ratingd_tickets_total", "counter",
            "Number of tickets, by key name and verification result.");
  std::set<std::size_t> slots;
  for (const auto& [issuer, slot] : metrics.issuers()) {
    if (!slots.insert(slot).second) continue;
    const auto counts = runtime::tickets(metrics.table(), slot);
    std::uint64_t others = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (i >= identity::kTicketResults.size()) {
        others += counts[i];
      } else if (counts[i] > 0 || i == 0) {
        out.sample({{"issuer", issuer}, {"result", identity::kTicketResults[i]}}, counts[i]);
      }
    }
    if (others > 0) out.sample({{"issuer", issuer}, {"result", "other"}}, others);
  }
}

void write_votes(Exposition& out, const runtime::MetricsTable& table) {
  out.begin("ratingd_votes_total", "counter",
            "Number of processed votes, by outcome and by what identified the voter.");
  for (std::size_t outcome = 0; outcome < votes::kOutcomeNames.size(); ++outcome) {
    for (std::size_t by = 0; by < model::kIdentifications.size(); ++by) {
      out.sample({{"outcome", votes::kOutcomeNames[outcome]},
                  {"identified_by", model::kIdentifications[by]}},
                 runtime::total_votes(table, outcome, by));
    }
  }
  out.begin("ratingd_network_votes_changed_total", "counter",
            "Number of votes that changed a rating of a voter who is recognized by the network.");
  out.sample({}, runtime::total(table, runtime::Count::network_vote_changed));
}

void write_counts(Exposition& out, const runtime::MetricsTable& table) {
  const auto write = [&](std::string_view name, std::string_view label, std::string_view help,
                         CountGroup group) {
    out.begin(name, "counter", help);
    for (const runtime::CountInfo& count : runtime::kCounts) {
      if (count.group != group) continue;
      out.sample({{label, count.label}}, runtime::total(table, count.what));
    }
  };
  write("ratingd_vote_failures_total", "reason",
        "Number of votes that were not processed, or whose voter was not told the outcome.",
        CountGroup::vote_failed);
  write("ratingd_vote_retries_total", "reason",
        "Number of failed attempts to store a batch of votes; most batches are tried again.",
        CountGroup::retry);
  write("ratingd_stats_cache_lookups_total", "result",
        "Number of lookups of objects' totals in shared memory.", CountGroup::cache);
  write("ratingd_voter_cache_lookups_total", "result",
        "Number of lookups of voters' own ratings in shared memory.", CountGroup::voter_cache);
  write("ratingd_limit_refusals_total", "class",
        "Number of requests that were refused because their network was over a rate limit.",
        CountGroup::limit);
}

// Writes the metrics for all sites in the network, or only for the site that received the request.
// A site's administrator must not learn about other sites.
void write_sites(Exposition& out, const runtime::Metrics& metrics, bool of_all) {
  if (metrics.sites() == nullptr) return;
  using Slot = runtime::SitesTable::Slot;
  const auto write = [&](const std::string& site, const runtime::MetricsTable::Number& number) {
    if (number > 0) out.sample({{"site", site}}, number);
  };
  const auto write_all = [&](auto Slot::*what) {
    for (const Slot& slot : metrics.sites()->slots) {
      if (of_all || &slot == metrics.of_site()) write(std::to_string(slot.site.load()), slot.*what);
    }
    if (of_all) write("other", metrics.sites()->others.*what);
  };
  out.begin("ratingd_site_requests_total", "counter",
            "Number of answered requests of a site of the network, by its number.");
  write_all(&Slot::requests);
  out.begin("ratingd_site_votes_total", "counter",
            "Number of processed votes of a site of the network that no rule refused.");
  write_all(&Slot::votes);
}

void write_measures(Exposition& out, const runtime::MetricsTable& table) {
  const auto write = [&](std::string_view name, std::string_view help, Measure measure,
                         double unit) {
    out.begin(name, "histogram", help);
    out.histogram({}, runtime::distribution(table, measure), runtime::bounds_of(measure), unit);
  };
  write("ratingd_vote_batch_size", "Number of votes in one transaction.", Measure::batch_size, 1);
  write("ratingd_vote_batch_duration_seconds",
        "Duration of transactions that store votes, with their commits.", Measure::batch_duration,
        kPerSecond);
  write("ratingd_vote_commit_duration_seconds", "Duration of commits of votes.",
        Measure::commit_duration, kPerSecond);
}

// --- The workers

std::string number_of(const runtime::Workers::Shown& worker) {
  return std::to_string(worker.slot + 1);
}

void write_sessions(Exposition& out, const runtime::Workers::Shown& worker) {
  const std::string name = number_of(worker);
  const auto write = [&](std::string_view pool, std::string_view state, Gauge gauge) {
    out.sample({{"worker", name}, {"pool", pool}, {"state", state}}, worker.at(gauge));
  };
  write("reads", "busy", Gauge::sessions_busy);
  write("reads", "idle", Gauge::sessions_idle);
  write("analytics", "busy", Gauge::analytics_sessions_busy);
  write("analytics", "idle", Gauge::analytics_sessions_idle);
}

void write_workers(Exposition& out, const api::Monitoring& monitoring) {
  const std::vector<runtime::Workers::Shown> workers = monitoring.workers.all();
  const auto write = [&](std::string_view name, std::string_view help, Gauge gauge) {
    out.begin(name, "gauge", help);
    for (const runtime::Workers::Shown& worker : workers) {
      out.sample({{"worker", number_of(worker)}}, worker.at(gauge));
    }
  };
  out.begin("ratingd_workers", "gauge", "Number of worker processes that run on this host.");
  out.sample({}, workers.size());
  out.begin("ratingd_workers_configured", "gauge",
            "Number of worker processes expected on this host (option processes).");
  out.sample({}, monitoring.configured_workers);
  write("ratingd_worker_start_time_seconds",
        "Start time of the worker in seconds since the Unix epoch.", Gauge::started_at);
  write("ratingd_worker_threads", "Number of requests that may wait in a worker.", Gauge::threads);
  write("ratingd_worker_threads_busy",
        "Number of requests that wait in a worker, for the database or anything else that blocks.",
        Gauge::threads_busy);
  write("ratingd_vote_queue_length", "Number of votes that wait for a transaction.", Gauge::queue);
  write("ratingd_vote_queue_limit",
        "Number of votes that may wait for a transaction; further votes are refused.",
        Gauge::queue_limit);
  write("ratingd_votes_unanswered",
        "Number of votes that wait for a transaction, or whose transaction is running.",
        Gauge::unanswered_votes);
  out.begin("ratingd_database_sessions", "gauge", "Number of open database sessions for reading.");
  for (const runtime::Workers::Shown& worker : workers) write_sessions(out, worker);
  write("ratingd_prepared_statements",
        "Number of statements that a worker has prepared in all its database sessions.",
        Gauge::statements);
}

// --- The site

// Writes the time at which the nightly maintenance was last completed. If no maintenance has been
// completed yet, writes the time of the tables' last migration.
void write_maintenance(Exposition& out, const api::Core& core) {
  const auto maintained_at = db::try_session(core.sessions, [](db::Connection& connection) {
    const auto stored = store::read_value(connection, store::kMaintainedAt);
    const auto time = base::from_datetime(stored.value_or(""));
    return time ? *time : db::migrated_at(connection);
  });
  if (!maintained_at) return;
  out.begin(
      "ratingd_maintenance_last_success_timestamp_seconds", "gauge",
      "Time of the last complete nightly maintenance of the scraped site in seconds since the "
      "Unix epoch.");
  const auto seconds =
      std::chrono::floor<std::chrono::seconds>(maintained_at->time_since_epoch()).count();
  out.sample({}, static_cast<std::uint64_t>(std::max<std::int64_t>(seconds, 0)));
}

// Omits the metrics from the database if the database does not respond. Each value is read
// separately, so that a slow count does not look like an unavailable database.
bool write_database(Exposition& out, const api::Core& core, const api::Voting& voting) {
  const auto schema = db::try_session(
      core.sessions, [&](db::Connection& connection) { return db::schema_version(connection); });
  out.begin("ratingd_database_up", "gauge",
            "Whether the database answered this scrape in time: 1 or 0.");
  out.sample({}, schema ? 1 : 0);
  if (!schema) return false;
  out.begin("ratingd_schema_version", "gauge", "Version of the database tables.");
  out.sample({}, static_cast<std::uint64_t>(*schema));
  const auto held = db::try_session(core.sessions, [&](db::Connection& connection) {
    return voting.held.count(connection, std::nullopt);
  });
  if (!held) return true;
  out.begin("ratingd_votes_held", "gauge",
            "Number of held votes of the scraped site that wait for an administrator's decision.");
  out.sample({}, static_cast<std::uint64_t>(*held));
  write_maintenance(out, core);
  return true;
}

// Writes the worst finding of each check, even if the database does not respond.
void write_checks(Exposition& out, const api::Monitoring& monitoring, bool database_answers) {
  const auto findings = monitoring.health_checks.findings(database_answers);
  if (!findings) return;
  std::map<std::string_view, cms::Health> worst;
  for (const cms::Finding& finding : *findings) {
    cms::Health& health = worst[finding.subject];
    health = std::max(health, finding.health);
  }
  out.begin("ratingd_check_status", "gauge",
            "Result of a check of ratingctl doctor that workers can run: 0 ok, 1 a warning, 2 a "
            "failure.");
  for (const auto& [check, health] : worst) {
    out.sample({{"check", check}}, static_cast<std::uint64_t>(health));
  }
}

void write_site(Exposition& out, const api::Core& core) {
  out.begin("ratingd_schema_version_wanted", "gauge",
            "Required version of the database tables. The next version is also supported.");
  out.sample({}, static_cast<std::uint64_t>(db::newest_version()));
  out.begin("ratingd_forwarded_visitors_of_one_address", "gauge",
            "Number of successive visitors who share a client address but differ in their proxy "
            "headers.");
  out.sample({}, runtime::clients_per_address(core.metrics.table()));
  out.begin("ratingd_build_info", "gauge", "Constant 1; the label is the version of the program.");
  out.sample({{"version", RATINGD_VERSION}}, 1);
}

}  // namespace

api::Result metrics(const api::Core& core, const api::Voting& voting,
                    const api::Monitoring& monitoring, const api::Front& front,
                    const api::Call& call) {
  api::Answer answer;
  answer.headers.push_back({"Content-Type", "text/plain; version=0.0.4; charset=utf-8"});
  Exposition out(answer.body);
  write_requests(out, core, front);
  write_tickets(out, core.metrics);
  write_votes(out, core.metrics.table());
  write_counts(out, core.metrics.table());
  write_sites(out, core.metrics, api::is_monitor_by_address(front, call));
  write_measures(out, core.metrics.table());
  write_workers(out, monitoring);
  write_checks(out, monitoring, write_database(out, core, voting));
  write_site(out, core);
  return answer;
}

}  // namespace handlers
