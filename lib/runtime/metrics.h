#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/keyed_hash.h"

namespace runtime {

// Counters. The order is the layout in memory: new values go before "end".
enum class Count : std::uint8_t {
  // Reasons why a vote was not processed, or its voter got no result.
  vote_queue_full,
  vote_unavailable,
  vote_failed,
  vote_timed_out,  // the request stopped waiting; the vote may still be stored
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
  unbound_ticket,
  network_vote_changed,  // a voter who is recognized by the network only changed a rating
  end,
};

// Counters of one metric.
enum class CountGroup : std::uint8_t {
  vote_failed,
  retry,
  cache,
  voter_cache,
  limit,
  deprecated,  // what the next release refuses
  none,        // a metric of its own
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
    {Count::unbound_ticket, CountGroup::deprecated, "unbound_ticket"},
    {Count::network_vote_changed, CountGroup::none, "network_vote_changed"},
});
static_assert(kCounts.size() == static_cast<std::size_t>(Count::end) && [] {
  for (std::size_t i = 0; i < kCounts.size(); ++i) {
    if (static_cast<std::size_t>(kCounts[i].what) != i) return false;
  }
  return true;
}());

// Histograms: durations in nanoseconds, and sizes.
enum class Measure : std::uint8_t {
  batch_size,       // votes in one transaction
  batch_duration,   // of the transaction, with its commit
  commit_duration,  // of the commit alone
  end,
};

// The upper bounds of a histogram's buckets; one more bucket holds larger values.
using Bounds = std::span<const std::uint64_t>;
[[nodiscard]] Bounds bounds_of(Measure measure);
[[nodiscard]] Bounds bounds_of_durations();

// HTTP statuses with a counter of their own; the others share one. The order is the layout in
// memory: new ones go to the end.
inline constexpr int kOtherStatuses = 0;
inline constexpr std::array kStatuses = {
    200, 201, 204, 304, 400, 401, 403, 404, 429, 500, 503, kOtherStatuses, 410};

// DESIGN. The metrics of all workers of a site on one host since the host was started. They are in
// runtime::SharedMemory, so a killed worker loses no counts, and a new worker, also of another
// version, continues the same counters.
//
// Each number exists several times, in lanes. A CPU adds to its own lane, so CPUs do not contend
// for cache lines; readers sum over all lanes. No addition is lost. Numbers that are read together
// may be some requests apart.
//
// Requests are counted in series, for example one per route. Workers find the slot of a series by
// its name, so programs with different routes can share the memory.
struct MetricsTable {
  using Number = std::atomic<std::uint64_t>;
  static constexpr std::size_t kOutcomes = 16;        // of votes, at most
  static constexpr std::size_t kIdentifications = 8;  // ways to identify a voter, at most

  struct Histogram {
    std::array<Number, 16> buckets;
    Number sum;
  };
  struct alignas(64) Series {
    std::array<Number, 15> statuses;  // as kStatuses
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
  // Detects a proxy that the web server does not know.
  struct alignas(64) Forwarding {
    Number address;  // hash of the last request's address
    Number client;   // hash of its forwarding header, which names the client
    Number clients;  // changes of the header since the address last changed
    // Times of the last vote without login, cookie and device token: with Origin or Sec-Fetch-Site
    // (sent by browsers), and without. Seconds since 1970, to the minute.
    Number browser_voted_at;
    Number program_voted_at;
    // The last ticket of the CMS's own programs that was not bound to its request. As above.
    Number unbound_ticket_at;
    // When voters who are recognized by their network last changed too many ratings. As above.
    Number networks_changed_at;
    // The number of votes without these headers since the last vote with them.
    Number program_votes;
  };
  struct alignas(64) Slot {  // see runtime/workers.h
    std::array<Number, 16> gauges;
  };

  base::SharedKey key;
  std::array<Number, 64> names;    // hashes of the names of the series; 0: free
  std::array<Number, 64> issuers;  // the same for the names of ticket keys
  Forwarding forwarding;
  std::array<Slot, 256> slots;
  std::array<Lane, 8> lanes;
};

// What is also counted for each site of a network, in a segment of its own. A site keeps its slot;
// those for which none is left share the last one.
struct SitesTable {
  struct alignas(64) Slot {
    MetricsTable::Number site;  // its number; 0: free
    MetricsTable::Number requests;
    MetricsTable::Number votes;  // processed votes that no rule refused
  };

  [[nodiscard]] Slot& slot_of(unsigned site);

  std::array<Slot, 400> slots;
  Slot others;
};

// Writes the metrics. Safe for concurrent use, by all processes that share the table. Lock-free; an
// addition takes nanoseconds.
class Metrics {
 public:
  // "series": the names of the series of requests; "issuers": the names of ticket keys. If there
  // are not enough slots, the last ones share one. "sites", if given, also counts for "site". The
  // tables must outlive this object.
  Metrics(MetricsTable& table, std::span<const std::string> series,
          std::span<const std::string> issuers = {}, SitesTable* sites = nullptr,
          unsigned site = 0);

  void add(Count what, std::uint64_t number = 1);
  // Counts a processed vote by its outcome and by what identified the voter: indexes below
  // kOutcomes and kIdentifications (votes::VoteResult::Outcome, model::IdentifiedBy). "is_refused":
  // a rule refused the vote.
  void add_vote(std::size_t outcome, std::size_t identified_by, bool is_refused);

  void add(Measure measure, std::uint64_t value);
  void add(Measure measure, std::chrono::nanoseconds duration) {
    add(measure, static_cast<std::uint64_t>(duration.count()));
  }

  // Counts a response. "series" is an index into the constructor's argument.
  void add_request(std::size_t series, int status, std::chrono::nanoseconds duration);

  // Counts a ticket that names the key "issuer" (empty if it names none), by the index of its
  // result in identity::kTicketResults. An index from the size of the list on means any other
  // result.
  void add_ticket(std::string_view issuer, std::size_t result);

  // Records a request from "address". "client" is the one that a proxy's header names; empty
  // without one.
  void count_forwarded_client(std::string_view address, std::string_view client);

  // Records a vote without login, cookie and device token.
  void record_vote_time(bool shows_browser, base::Time at);

  // Records that voters who are recognized by their network change too many ratings.
  void record_network_changes(base::Time at);

  // Counts a ticket of the CMS's own programs that is not bound to its request.
  void record_unbound_ticket(base::Time at);

  [[nodiscard]] const MetricsTable& table() const { return table_; }
  [[nodiscard]] const SitesTable* sites() const { return sites_; }
  [[nodiscard]] const SitesTable::Slot* of_site() const { return of_site_; }
  // The slot of the series with this index.
  [[nodiscard]] std::size_t slot_of(std::size_t series) const { return slots_[series]; }
  // The slots of the names of ticket keys; "" stands for all other names.
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

// Readers of the metrics.

struct Distribution {
  std::vector<std::uint64_t> buckets;  // one more than bounds
  std::uint64_t sum = 0;

  [[nodiscard]] std::uint64_t count() const;
};

struct RequestCounts {
  std::array<std::uint64_t, kStatuses.size()> statuses{};  // as kStatuses
  Distribution durations;

  [[nodiscard]] std::uint64_t count() const;
};

[[nodiscard]] std::uint64_t total(const MetricsTable& table, Count what);
[[nodiscard]] std::uint64_t total(const MetricsTable& table, CountGroup group);
// The number of processed votes, with the indexes of Metrics::add_vote().
[[nodiscard]] std::uint64_t total_votes(const MetricsTable& table, std::size_t outcome,
                                        std::size_t identified_by);
[[nodiscard]] Distribution distribution(const MetricsTable& table, Measure measure);
[[nodiscard]] RequestCounts requests(const MetricsTable& table, std::size_t slot);
[[nodiscard]] RequestCounts all_requests(const MetricsTable& table);

// Returns the number of tickets of an issuer's slot by the index of their result.
using TicketCounts =
    std::array<std::uint64_t, std::tuple_size_v<decltype(MetricsTable::Tickets::results)>>;
[[nodiscard]] TicketCounts tickets(const MetricsTable& table, std::size_t slot);

// How many different clients one address has forwarded in a row, by their headers, without a
// request from another address in between. A small number if nginx knows the clients' addresses; a
// growing one if it takes its proxy's address for all of them.
[[nodiscard]] std::uint64_t clients_per_address(const MetricsTable& table);

// Times of the last votes without login, cookie and device token, by browsers and by programs; the
// epoch if there were none. To the minute.
struct LastVotes {
  base::Time of_browser;
  base::Time of_program;
  // The number of votes by programs since the last vote by a browser.
  std::uint64_t programs_in_a_row;
};
[[nodiscard]] LastVotes last_votes(const MetricsTable& table);

// When voters who are recognized by their network last changed too many ratings; the epoch: never.
// To the minute.
[[nodiscard]] base::Time last_network_changes(const MetricsTable& table);

// The time of the last ticket of the CMS's own programs that was not bound to its request; the
// epoch if there was none. To the minute.
[[nodiscard]] base::Time last_unbound_ticket(const MetricsTable& table);

}  // namespace runtime
