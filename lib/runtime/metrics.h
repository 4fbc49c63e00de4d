#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/crypto.h"
#include "runtime/shared_memory.h"

namespace runtime {

// The counters. Their order is the layout in memory, so insert new values directly before "end".
enum class Count : std::uint8_t {
  // Reasons why a vote was not processed, or why its voter got no result.
  vote_queue_full,
  vote_unavailable,
  vote_failed,
  vote_timed_out,  // the request stopped waiting, but the vote may still be stored
  // Reasons why a batch of votes failed and was retried.
  retry_deadlock,
  retry_lock_wait,
  retry_conflict,
  retry_connection_lost,
  stats_cache_hit,
  stats_cache_miss,
  limited_read,
  limited_write,
  limited_login,
  voter_cache_hit,
  voter_cache_miss,
  limited_ticket,
  network_vote_changed,  // a voter who is recognized only by the network changed a rating
  end,
};

// The metric to which a counter belongs.
enum class CountGroup : std::uint8_t {
  vote_failed,
  retry,
  cache,
  voter_cache,
  limit,
  none,  // the counter is a separate metric
};

struct CountInfo {
  Count what;
  CountGroup group;
  std::string_view label;  // unique within its metric
};

// All counters, in the order of Count.
inline constexpr auto kCounts = std::to_array<CountInfo>({
    {Count::vote_queue_full, CountGroup::vote_failed, "queue_full"},
    {Count::vote_unavailable, CountGroup::vote_failed, "unavailable"},
    {Count::vote_failed, CountGroup::vote_failed, "failed"},
    {Count::vote_timed_out, CountGroup::vote_failed, "timed_out"},
    {Count::retry_deadlock, CountGroup::retry, "deadlock"},
    {Count::retry_lock_wait, CountGroup::retry, "lock_wait"},
    {Count::retry_conflict, CountGroup::retry, "conflict"},
    {Count::retry_connection_lost, CountGroup::retry, "connection_lost"},
    {Count::stats_cache_hit, CountGroup::cache, "hit"},
    {Count::stats_cache_miss, CountGroup::cache, "miss"},
    {Count::limited_read, CountGroup::limit, "read"},
    {Count::limited_write, CountGroup::limit, "write"},
    {Count::limited_login, CountGroup::limit, "login"},
    {Count::voter_cache_hit, CountGroup::voter_cache, "hit"},
    {Count::voter_cache_miss, CountGroup::voter_cache, "miss"},
    {Count::limited_ticket, CountGroup::limit, "ticket"},
    {Count::network_vote_changed, CountGroup::none, "network_vote_changed"},
});
static_assert(kCounts.size() == static_cast<std::size_t>(Count::end) && [] {
  for (std::size_t i = 0; i < kCounts.size(); ++i) {
    if (static_cast<std::size_t>(kCounts[i].what) != i) return false;
  }
  return true;
}());

// The histograms. Durations are in nanoseconds.
enum class Measure : std::uint8_t {
  batch_size,       // votes in one transaction
  batch_duration,   // a transaction, including its commit
  commit_duration,  // the commit alone
  end,
};

// The upper bounds of a histogram's buckets. An additional bucket counts larger values.
using Bounds = std::span<const std::uint64_t>;
[[nodiscard]] Bounds bounds_of(Measure measure);
[[nodiscard]] Bounds bounds_of_durations();

// The HTTP statuses that have a separate counter. All other statuses share one counter. The order
// is the layout in memory, so add new statuses at the end.
inline constexpr int kOtherStatuses = 0;
inline constexpr std::array kStatuses = {
    200, 201, 204, 304, 400, 401, 403, 404, 429, 500, 503, kOtherStatuses, 410};

// DESIGN. The metrics for all of a site's workers on one host, counted since the host was started.
// The metrics are in a runtime::SharedMemory, so the counts survive if a worker is killed. New
// workers continue the same counters, even if they run another version.
//
// Each number exists several times, once in each lane. A CPU adds to its own lane, so CPUs do not
// contend for cache lines. Readers sum over all lanes. No addition is lost, but numbers that are
// read together may differ by a few requests.
//
// Requests are counted in series, for example one series per route. Workers find a slot by the name
// of the series, so programs with different routes can share the memory.
struct MetricsTable {
  using Number = std::atomic<std::uint64_t>;
  static constexpr std::size_t kOutcomes = 16;        // maximum number of outcomes for a vote
  static constexpr std::size_t kIdentifications = 8;  // maximum number of ways to identify a voter

  struct Histogram {
    std::array<Number, 16> buckets;
    Number sum;
  };
  struct alignas(64) Series {
    std::array<Number, 15> statuses;  // in the order of kStatuses
    Histogram durations;
  };
  struct alignas(64) Tickets {
    std::array<Number, 24> results;  // see Metrics::add_ticket()
  };
  struct alignas(64) Lane {
    std::array<Number, 64> counts;
    std::array<std::array<Number, kIdentifications>, kOutcomes> votes;  // see Metrics::add_vote()
    std::array<Histogram, 8> measures;
    std::array<Series, 64> series;
    std::array<Tickets, 64> tickets;
  };
  // The data that reveal a proxy that the web server does not know. Times are in seconds since
  // 1970, to the minute.
  struct alignas(64) Forwarding {
    Number address;  // hash of the last request's address
    Number client;   // hash of the client that the last request's forwarding header names
    Number clients;  // how often "client" has changed since "address" last changed
    // The times of the last votes without a login, cookie or device token. A browser sends Origin
    // or Sec-Fetch-Site with a vote. A program sends neither.
    Number browser_voted_at;
    Number program_voted_at;
    // The last time when voters who are recognized by their network changed too many ratings.
    Number networks_changed_at;
    // The number of votes by programs since the last vote by a browser.
    Number program_votes;
  };
  struct alignas(64) Slot {  // see Workers
    std::array<Number, 16> gauges;
  };

  base::SharedKey key;
  std::array<Number, 64> names;    // hashes of the series names; 0 is a free slot
  std::array<Number, 64> issuers;  // hashes of the ticket key names; 0 is a free slot
  Forwarding forwarding;
  std::array<Slot, 256> slots;
  std::array<Lane, 8> lanes;
};

// Additional counts for each site in a network, in a separate memory segment. A site never loses
// its slot. If all slots are taken, all other sites share the slot "others".
struct SitesTable {
  struct alignas(64) Slot {
    MetricsTable::Number site;  // the site's number; 0 is a free slot
    MetricsTable::Number requests;
    MetricsTable::Number votes;  // the processed votes that no rule refused
  };

  [[nodiscard]] Slot& slot_of(unsigned site);

  std::array<Slot, 400> slots;
  Slot others;
};

// Writes the metrics. Safe for concurrent use by all processes that share the table. Lock-free: an
// addition takes nanoseconds.
class Metrics {
 public:
  // "series" contains the names of the request series, and "issuers" contains the names of ticket
  // keys. If there are not enough slots, the remaining names share the last slot. If "sites" is not
  // null, requests and votes are also counted for the site with the number "site". The tables must
  // outlive this object.
  Metrics(MetricsTable& table, std::span<const std::string> series,
          std::span<const std::string> issuers = {}, SitesTable* sites = nullptr,
          unsigned site = 0);

  void add(Count what, std::uint64_t number = 1);
  // Counts a processed vote by its outcome (votes::VoteResult::Outcome) and by the way in which the
  // voter was identified (model::IdentifiedBy). These indexes must be below kOutcomes and
  // kIdentifications. "is_refused" is true if a rule refused the vote.
  void add_vote(std::size_t outcome, std::size_t identified_by, bool is_refused);

  void add(Measure measure, std::uint64_t value);
  void add(Measure measure, std::chrono::nanoseconds duration) {
    add(measure, static_cast<std::uint64_t>(duration.count()));
  }

  // Counts a response. "series" is an index into the constructor's "series".
  void add_request(std::size_t series, int status, std::chrono::nanoseconds duration);

  // Counts a ticket that names the key "issuer". "issuer" is empty if the ticket names no key.
  // "result" is the result's index in identity::kTicketResults. A larger index counts as another
  // result.
  void add_ticket(std::string_view issuer, std::size_t result);

  // Records a request from "address". "client" is the client that a proxy's header names. It is
  // empty if there is no such header.
  void count_forwarded_client(std::string_view address, std::string_view client);

  // Records a vote without a login, cookie or device token. "shows_browser" tells whether the
  // request had a header that only browsers send.
  void record_vote_time(bool shows_browser, base::Time at);

  // Records that voters who are recognized by their network changed too many ratings.
  void record_network_changes(base::Time at);

  [[nodiscard]] const MetricsTable& table() const { return table_; }
  [[nodiscard]] const SitesTable* sites() const { return sites_; }
  [[nodiscard]] const SitesTable::Slot* of_site() const { return of_site_; }
  // Returns the slot for the series with this index.
  [[nodiscard]] std::size_t slot_of(std::size_t series) const { return slots_[series]; }
  // Returns the slots for the names of ticket keys. The key "" stands for all other names.
  [[nodiscard]] const std::map<std::string, std::size_t, std::less<>>& issuers() const {
    return issuers_;
  }

 private:
  [[nodiscard]] MetricsTable::Lane& lane() const;

  MetricsTable& table_;
  SitesTable* const sites_;
  SitesTable::Slot* const of_site_;
  const base::KeyedHash hash_;
  std::vector<std::size_t> slots_;
  std::map<std::string, std::size_t, std::less<>> issuers_;
};

// The structures and functions below read the metrics.

struct Distribution {
  std::vector<std::uint64_t> buckets;  // one more than bounds_of() returns
  std::uint64_t sum = 0;

  [[nodiscard]] std::uint64_t count() const;
};

struct RequestCounts {
  std::array<std::uint64_t, kStatuses.size()> statuses{};  // in the order of kStatuses
  Distribution durations;

  [[nodiscard]] std::uint64_t count() const;
};

[[nodiscard]] std::uint64_t total(const MetricsTable& table, Count what);
[[nodiscard]] std::uint64_t total(const MetricsTable& table, CountGroup group);
// Returns the number of processed votes. The indexes are the same as in Metrics::add_vote().
[[nodiscard]] std::uint64_t total_votes(const MetricsTable& table, std::size_t outcome,
                                        std::size_t identified_by);
[[nodiscard]] Distribution distribution(const MetricsTable& table, Measure measure);
[[nodiscard]] RequestCounts requests(const MetricsTable& table, std::size_t slot);
[[nodiscard]] RequestCounts all_requests(const MetricsTable& table);

// Returns the number of tickets in an issuer's slot. The array is indexed by the result.
using TicketCounts =
    std::array<std::uint64_t, std::tuple_size_v<decltype(MetricsTable::Tickets::results)>>;
[[nodiscard]] TicketCounts tickets(const MetricsTable& table, std::size_t slot);

// Returns how many different clients one address has forwarded, according to the forwarding header,
// since the last request from another address. The number stays small if nginx knows the clients'
// addresses. It grows if nginx mistakes its proxy's address for the address of all clients.
[[nodiscard]] std::uint64_t clients_per_address(const MetricsTable& table);

// The times of the last votes without login, cookie and device token, to the minute. If there was
// no such vote, the time is the Unix epoch.
struct LastVotes {
  base::Time of_browser;
  base::Time of_program;
  // the number of votes by programs since the last vote by a browser
  std::uint64_t programs_in_a_row;
};
[[nodiscard]] LastVotes last_votes(const MetricsTable& table);

// Returns the last time when voters who are recognized by their network changed too many ratings,
// to the minute. Returns the Unix epoch if this never happened.
[[nodiscard]] base::Time last_network_changes(const MetricsTable& table);

// A worker's gauges. Their order is the layout in memory, so insert new values directly before
// "end".
enum class Gauge : std::uint8_t {
  process,     // process id
  started_at,  // Unix seconds
  threads,
  threads_busy,
  queue,  // waiting votes
  queue_limit,
  sessions_busy,  // database sessions for short reads
  sessions_idle,
  analytics_sessions_busy,
  analytics_sessions_idle,
  processes,  // the configured number of workers
  unanswered_votes,
  configuration,  // config::configuration_hash_of() when the worker started
  disk_full,      // 1 if the database had no room for the latest votes
  statements,     // prepared statements in all database sessions
  end,
};

// DESIGN. Each of a site's workers on one host publishes its gauges in a slot. A worker takes the
// first free slot, so slot numbers stay small. A worker holds a file lock on its slot, and the
// kernel releases the lock when the process ends. So a reused process id is never mistaken for a
// live worker, even if workers run in different PID namespaces. The gauges of dead workers are not
// shown.
//
// There are as many slots as a site may have processes. A worker without a slot works, but is not
// shown.
//
// Safe for concurrent use.
class Workers {
 public:
  // "memory" contains "table". Both must outlive this object.
  Workers(const SharedMemory& memory, MetricsTable& table) : memory_(memory), table_(table) {}

  // Takes a slot for this process. Returns false if no slot is free. Must be called only once.
  bool join();

  // Publishes one of this process's gauges. Does nothing if the process has no slot.
  void show(Gauge gauge, std::uint64_t value);

  struct Shown {
    std::size_t slot = 0;  // counted from 0
    std::array<std::uint64_t, static_cast<std::size_t>(Gauge::end)> gauges{};

    [[nodiscard]] std::uint64_t at(Gauge gauge) const {
      return gauges[static_cast<std::size_t>(gauge)];
    }
  };
  // Returns all live workers, ordered by slot.
  [[nodiscard]] std::vector<Shown> all() const;

 private:
  const SharedMemory& memory_;
  MetricsTable& table_;
  std::optional<unsigned> slot_;  // this process's slot
};

// Returns the sum of a gauge over "workers".
[[nodiscard]] std::uint64_t sum(const std::vector<Workers::Shown>& workers, Gauge gauge);

}  // namespace runtime
