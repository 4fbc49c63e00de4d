#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/keyed_hash.h"

namespace base {

// What is counted one by one. The order is that of the memory: new ones come before "end".
enum class Count : std::uint8_t {
  // What became of a vote that was decided: votes::VoteResult::Outcome.
  vote_stored,
  vote_unchanged,
  vote_withdrawn,
  vote_nothing_stored,
  vote_already_rated,
  vote_cooling_down,
  vote_too_soon,
  vote_too_many_of_voter,
  vote_too_many_of_address,
  vote_too_many_new_voters,
  // Why a vote was not decided, or its voter not told.
  vote_queue_full,
  vote_unavailable,
  vote_failed,
  vote_timed_out,  // nobody waited for it any more; it may be decided nevertheless
  // Why an attempt to store a batch of votes failed, which may be made again.
  retry_deadlock,
  retry_lock_wait,
  retry_conflict,
  retry_connection_lost,
  cache_hit,
  cache_miss,
  limited_read,
  limited_write,
  limited_login,
  vote_too_many_program_voters,
  end,
};

// Counts that are shown together.
enum class CountGroup : std::uint8_t { vote_done, vote_refused, vote_failed, retry, cache, limit };

struct CountInfo {
  Count what;
  CountGroup group;
  std::string_view label;  // that tells it from the others of its metric
};

// All counts, in their order.
inline constexpr auto kCounts = std::to_array<CountInfo>({
    {Count::vote_stored, CountGroup::vote_done, "stored"},
    {Count::vote_unchanged, CountGroup::vote_done, "unchanged"},
    {Count::vote_withdrawn, CountGroup::vote_done, "withdrawn"},
    {Count::vote_nothing_stored, CountGroup::vote_done, "nothing_stored"},
    {Count::vote_already_rated, CountGroup::vote_refused, "already_rated"},
    {Count::vote_cooling_down, CountGroup::vote_refused, "cooling_down"},
    {Count::vote_too_soon, CountGroup::vote_refused, "too_soon"},
    {Count::vote_too_many_of_voter, CountGroup::vote_refused, "too_many_of_voter"},
    {Count::vote_too_many_of_address, CountGroup::vote_refused, "too_many_of_address"},
    {Count::vote_too_many_new_voters, CountGroup::vote_refused, "too_many_new_voters"},
    {Count::vote_queue_full, CountGroup::vote_failed, "queue_full"},
    {Count::vote_unavailable, CountGroup::vote_failed, "unavailable"},
    {Count::vote_failed, CountGroup::vote_failed, "failed"},
    {Count::vote_timed_out, CountGroup::vote_failed, "timed_out"},
    {Count::retry_deadlock, CountGroup::retry, "deadlock"},
    {Count::retry_lock_wait, CountGroup::retry, "lock_wait"},
    {Count::retry_conflict, CountGroup::retry, "conflict"},
    {Count::retry_connection_lost, CountGroup::retry, "connection_lost"},
    {Count::cache_hit, CountGroup::cache, "hit"},
    {Count::cache_miss, CountGroup::cache, "miss"},
    {Count::limited_read, CountGroup::limit, "read"},
    {Count::limited_write, CountGroup::limit, "write"},
    {Count::limited_login, CountGroup::limit, "login"},
    {Count::vote_too_many_program_voters, CountGroup::vote_refused, "too_many_program_voters"},
});
static_assert(kCounts.size() == static_cast<std::size_t>(Count::end) && [] {
  for (std::size_t i = 0; i < kCounts.size(); ++i) {
    if (static_cast<std::size_t>(kCounts[i].what) != i) return false;
  }
  return true;
}());

// What is measured: durations in nanoseconds, but for sizes.
enum class Measure : std::uint8_t {
  batch_size,       // votes in one transaction
  batch_duration,   // of the transaction, with its commit
  commit_duration,  // of the commit alone
  end,
};

// The upper bounds of the buckets that measured values fall into; behind them comes one for the
// rest.
using Bounds = std::span<const std::uint64_t>;
[[nodiscard]] Bounds bounds_of(Measure measure);
[[nodiscard]] Bounds bounds_of_durations();

// Statuses of HTTP that are told apart; the others are one.
inline constexpr std::array kStatuses = {200, 201, 204, 304, 400, 401, 403, 404, 429, 500, 503};

// DESIGN. What all workers of a site on one host have counted since the host was started. The
// numbers lie in base::SharedMemory, so that a worker that is killed takes none of them away, and
// one that starts, also of another version, goes on counting where the others are.
//
// Each number is there several times, in lanes. A processor adds to the lane that is its own, so
// that processors do not take cache lines from each other; who reads adds the lanes up. No addition
// is lost, whichever lane it goes to. Numbers that are read together may be some requests apart.
//
// Requests are counted in series, such as one for each route. Which of them has which place is
// agreed on by their names, so that programs with different routes can share the memory.
struct MetricsTable {
  using Number = std::atomic<std::uint64_t>;

  struct Histogram {
    std::array<Number, 16> buckets;
    Number sum;
  };
  struct alignas(64) Series {
    std::array<Number, 15> statuses;  // as kStatuses, then the others
    Histogram durations;
  };
  struct alignas(64) Lane {
    std::array<Number, 64> counts;
    std::array<Histogram, 8> measures;
    std::array<Series, 64> series;
  };
  // What proxies do to requests.
  struct alignas(64) Forwarding {
    Number address;   // a hash of the last one's
    Number visitor;   // a hash of what its header said
    Number visitors;  // how often the header has changed since another address came
    // Of votes by nobody known: seconds since 1970 of the last one with Origin or Sec-Fetch-Site,
    // as browsers send it, and of the last one without; to a minute.
    Number browser_voted_at;
    Number program_voted_at;
  };
  struct alignas(64) Seat {  // see base/workers.h
    std::array<Number, 16> gauges;
  };

  SharedKey key;
  std::array<Number, 64> names;  // hashes of those of the series; 0 where there is none
  Forwarding forwarding;
  std::array<Seat, 256> seats;
  std::array<Lane, 8> lanes;
};

// Counts. Safe for concurrent use, by all processes that share the table. Lock-free; an addition
// takes nanoseconds.
class Metrics {
 public:
  // Requests are counted in "series" of these names; if there is no place for all of them, the last
  // share one. "table" must outlive this.
  Metrics(MetricsTable& table, std::span<const std::string> series);

  void add(Count what, std::uint64_t number = 1);
  void add(Measure measure, std::uint64_t value);
  void add(Measure measure, std::chrono::nanoseconds duration) {
    add(measure, static_cast<std::uint64_t>(duration.count()));
  }

  // A request was answered. "series" is the index of one that was given.
  void add_request(std::size_t series, int status, std::chrono::nanoseconds duration);

  // A request came from "address", whose sender a proxy's header names: "visitor", empty if none
  // does.
  void note_sender(std::string_view address, std::string_view visitor);

  // A vote came without login, cookie and device token, which shows a browser, or does not.
  void note_vote(bool shows_browser, Time at);

  [[nodiscard]] const MetricsTable& table() const { return table_; }
  // Where the series with this index is counted.
  [[nodiscard]] std::size_t place_of(std::size_t series) const { return places_[series]; }

 private:
  [[nodiscard]] MetricsTable::Lane& lane() const;

  MetricsTable& table_;
  const KeyedHash hash_;
  std::vector<std::size_t> places_;
};

// What was counted; these only read.

struct Distribution {
  std::vector<std::uint64_t> buckets;  // one more than there are bounds
  std::uint64_t sum = 0;

  [[nodiscard]] std::uint64_t count() const;
};

struct RequestCounts {
  std::array<std::uint64_t, kStatuses.size() + 1> statuses{};  // the last is of the others
  Distribution durations;

  [[nodiscard]] std::uint64_t count() const;
};

[[nodiscard]] std::uint64_t total(const MetricsTable& table, Count what);
[[nodiscard]] std::uint64_t total(const MetricsTable& table, CountGroup group);
[[nodiscard]] Distribution distribution(const MetricsTable& table, Measure measure);
[[nodiscard]] RequestCounts requests(const MetricsTable& table, std::size_t place);
[[nodiscard]] RequestCounts all_requests(const MetricsTable& table);

// How many visitors in a row one and the same address has passed on, by what the headers say, and
// no request came from another one: a few where nginx knows the visitors' addresses, ever more
// where it takes its proxy for all of them.
[[nodiscard]] std::uint64_t visitors_of_one_address(const MetricsTable& table);

// When the last votes by nobody known came, of browsers and of programs; the epoch for never. To a
// minute.
struct LastVotes {
  Time of_browser;
  Time of_program;
};
[[nodiscard]] LastVotes last_votes(const MetricsTable& table);

}  // namespace base
