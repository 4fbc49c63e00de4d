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

// The counters. The order of the values determines the memory layout, so new values must be
// inserted directly before "end".
enum class Count : std::uint8_t {
  // The reasons why a vote was not processed, or why the voter received no result.
  vote_queue_full,
  vote_unavailable,
  vote_failed,
  vote_timed_out,  // the request timed out, but the vote may still be stored
  // The reasons why a batch of votes failed and was retried.
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
  network_vote_changed,  // a voter who is recognized only by network changed a rating
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
  std::string_view label;  // the label, which is unique for each metric
};

// Describes all counters, in the order of the enum Count.
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

// The upper bounds of a histogram's buckets. An additional bucket counts all values above the last
// bound.
using Bounds = std::span<const std::uint64_t>;
[[nodiscard]] Bounds bounds_of(Measure measure);
[[nodiscard]] Bounds bounds_of_durations();

// The HTTP statuses that have their own counters. All other HTTP statuses share one counter. The
// order of the statuses determines the memory layout, so new statuses must be added at the end.
inline constexpr int kOtherStatuses = 0;
inline constexpr std::array kStatuses = {
    200, 201, 204, 304, 400, 401, 403, 404, 429, 500, 503, kOtherStatuses, 410};

// DESIGN. The metrics of all of a site's workers on one host since the host started. The metrics
// are stored in shared memory, so no counts are lost if a worker is killed. New workers, even those
// of a different version, continue the existing counters.
//
// The table consists of several lanes, and each lane contains all counters. Each CPU adds to the
// counters in its own lane, so CPUs do not compete for cache lines. Readers sum a counter's values
// over all lanes. Counters are read one after another, so two counters may differ by a few
// requests.
//
// Requests are counted in several series, such as one series for each route. Workers find a series
// by its name, so versions of ratingd with different routes can share the memory.
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
  // Data for detecting a proxy that nginx is not configured to trust. Times are in seconds since
  // 1970, accurate to the minute.
  struct alignas(64) Forwarding {
    Number address;  // hash of the last request's address
    Number client;   // hash of the client in the last request's forwarding header
    Number clients;  // the number of changes of "client" since "address" last changed
    // The times of the last votes that were sent without a login, cookie or device token. A vote
    // request with an Origin or Sec-Fetch-Site header counts as sent by a browser.
    Number browser_voted_at;
    Number program_voted_at;
    // The last time at which voters who are recognized only by their network changed suspiciously
    // many ratings.
    Number networks_changed_at;
    // The number of votes sent by programs since the last vote sent by a browser.
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

// Counts the requests and votes for each site in a multisite network. SitesTable has its own memory
// segment. A site never loses its slot. If all slots are in use, any further sites share the slot
// "others".
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

// Writes the metrics. All processes that share the table may write metrics concurrently. Adding to
// a counter is lock-free and takes only nanoseconds.
class Metrics {
 public:
  // "series" contains the names of all series of requests, and "issuers" contains the names of all
  // ticket keys. If there are more names than slots, the remaining names share the last slot. If
  // "sites" is not nullptr, requests and votes are also counted for the site with the number "site"
  // in the network. "table" and "sites" must outlive the Metrics object.
  Metrics(MetricsTable& table, std::span<const std::string> series,
          std::span<const std::string> issuers = {}, SitesTable* sites = nullptr,
          unsigned site = 0);

  void add(Count what, std::uint64_t number = 1);
  // Counts a processed vote. "outcome" is the numeric value of votes::VoteResult::Outcome and must
  // be less than kOutcomes. "identified_by" is the numeric value of model::IdentifiedBy and must be
  // less than kIdentifications. "is_refused" is true if a rule refused the vote.
  void add_vote(std::size_t outcome, std::size_t identified_by, bool is_refused);

  void add(Measure measure, std::uint64_t value);
  void add(Measure measure, std::chrono::nanoseconds duration) {
    add(measure, static_cast<std::uint64_t>(duration.count()));
  }

  // Counts a response. "series" is an index into the "series" list passed to the constructor.
  void add_request(std::size_t series, int status, std::chrono::nanoseconds duration);

  // Counts a ticket and the result of its verification. "issuer" is the name of the key that the
  // ticket names, or empty if the ticket names no key. "result" is the index of the ticket's result
  // in identity::kTicketResults.
  void add_ticket(std::string_view issuer, std::size_t result);

  // Records a request's source address and the client in its forwarding header. "client" is empty
  // if the request has no forwarding header.
  void count_forwarded_client(std::string_view address, std::string_view client);

  // Records the time of a vote that was sent without a login, cookie or device token.
  // "shows_browser" is true if the request has a header that only browsers send.
  void record_vote_time(bool shows_browser, base::Time at);

  // Records that voters who are recognized only by their network have changed suspiciously many
  // ratings.
  void record_network_changes(base::Time at);

  [[nodiscard]] const MetricsTable& table() const { return table_; }
  [[nodiscard]] const SitesTable* sites() const { return sites_; }
  [[nodiscard]] const SitesTable::Slot* of_site() const { return of_site_; }
  // Returns the slot of the series with the index "series".
  [[nodiscard]] std::size_t slot_of(std::size_t series) const { return slots_[series]; }
  // Maps the name of each ticket key to the key's slot. The name "" stands for all unknown ticket
  // keys.
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

// The following structures and functions read the metrics.

struct Distribution {
  std::vector<std::uint64_t> buckets;  // one bucket more than bounds_of() returns
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
// Returns the number of processed votes. "outcome" and "identified_by" have the same meaning as in
// Metrics::add_vote().
[[nodiscard]] std::uint64_t total_votes(const MetricsTable& table, std::size_t outcome,
                                        std::size_t identified_by);
[[nodiscard]] Distribution distribution(const MetricsTable& table, Measure measure);
[[nodiscard]] RequestCounts requests(const MetricsTable& table, std::size_t slot);
[[nodiscard]] RequestCounts all_requests(const MetricsTable& table);

// Counts the tickets of one ticket key by the result of their verification. The array has the same
// order as identity::kTicketResults. "slot" is the slot of the ticket key.
using TicketCounts =
    std::array<std::uint64_t, std::tuple_size_v<decltype(MetricsTable::Tickets::results)>>;
[[nodiscard]] TicketCounts tickets(const MetricsTable& table, std::size_t slot);

// Returns how often successive requests from one address named different clients in the forwarding
// header. A large number shows that nginx is not configured to trust its proxy and uses the proxy's
// address for all clients.
[[nodiscard]] std::uint64_t clients_per_address(const MetricsTable& table);

// The times of the last votes that were sent without a login, cookie or device token, accurate to
// the minute. Each time is the Unix epoch if no vote of that kind has been recorded.
struct LastVotes {
  base::Time of_browser;
  base::Time of_program;
  // The number of votes sent by programs since the last vote sent by a browser.
  std::uint64_t programs_in_a_row;
};
[[nodiscard]] LastVotes last_votes(const MetricsTable& table);

// Returns when voters who are recognized only by their network last changed suspiciously many
// ratings, accurate to the minute. Returns the Unix epoch if no suspicious change was recorded.
[[nodiscard]] base::Time last_network_changes(const MetricsTable& table);

// The gauges that each worker publishes. The order of the values determines the memory layout, so
// new values must be inserted directly before "end".
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
  disk_full,      // 1 if the database had no disk space for the latest votes
  statements,     // prepared statements in all database sessions
  end,
};

// DESIGN. Each worker publishes its gauges in its own slot. A new worker uses the first free slot,
// so slot numbers remain small. Each worker holds a file lock on its slot. The kernel releases the
// file lock when the process ends, so a dead worker never counts as live, even if its process id is
// reused. The gauges of dead workers are not published.
//
// The number of slots limits how many workers of a site can publish gauges. If no slot is free, a
// worker runs normally but does not publish its gauges.
//
// The class is thread-safe.
class Workers {
 public:
  // "table" must be part of the shared memory "memory". "memory" and "table" must outlive the
  // Workers object.
  Workers(const SharedMemory& memory, MetricsTable& table) : memory_(memory), table_(table) {}

  // Reserves a slot for this process. Returns false if all slots are in use. Call join() only once
  // per process.
  bool join();

  // Publishes a gauge of this process. Does nothing if this process has no slot.
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
  std::optional<unsigned> slot_;  // the slot of the current process
};

// Returns the sum of the gauge "gauge" over all workers in "workers".
[[nodiscard]] std::uint64_t sum(const std::vector<Workers::Shown>& workers, Gauge gauge);

}  // namespace runtime
