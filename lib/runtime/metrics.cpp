#include "runtime/metrics.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

namespace runtime {
namespace {

using std::memory_order_relaxed;
using Number = MetricsTable::Number;
using Histogram = MetricsTable::Histogram;

static_assert(Number::is_always_lock_free);

constexpr std::uint64_t kMicrosecond = 1000;
constexpr std::uint64_t kMillisecond = 1000 * kMicrosecond;

constexpr std::array<std::uint64_t, 15> kDurationBounds = {
    100 * kMicrosecond,  250 * kMicrosecond,  500 * kMicrosecond, 1 * kMillisecond,
    2500 * kMicrosecond, 5 * kMillisecond,    10 * kMillisecond,  25 * kMillisecond,
    50 * kMillisecond,   100 * kMillisecond,  250 * kMillisecond, 500 * kMillisecond,
    1000 * kMillisecond, 2500 * kMillisecond, 5000 * kMillisecond};
constexpr std::array<std::uint64_t, 7> kSizeBounds = {1, 2, 4, 8, 16, 32, 64};

static_assert(kDurationBounds.size() < std::tuple_size_v<decltype(Histogram::buckets)>);
static_assert(kStatuses.size() <= std::tuple_size_v<decltype(MetricsTable::Series::statuses)>);
static_assert(static_cast<std::size_t>(Count::end) <=
              std::tuple_size_v<decltype(MetricsTable::Lane::counts)>);
static_assert(static_cast<std::size_t>(Measure::end) <=
              std::tuple_size_v<decltype(MetricsTable::Lane::measures)>);

// Relaxed memory order is sufficient, because other threads may see the additions in any order.
void add_to(Number& number, std::uint64_t more) { number.fetch_add(more, memory_order_relaxed); }

void add_to(Histogram& histogram, Bounds bounds, std::uint64_t value) {
  const auto bucket = std::find_if(bounds.begin(), bounds.end(),
                                   [&](std::uint64_t bound) { return value <= bound; });
  add_to(histogram.buckets[static_cast<std::size_t>(bucket - bounds.begin())], 1);
  add_to(histogram.sum, value);
}

std::size_t index_of_status(int status) {
  const auto* found = std::find(kStatuses.begin(), kStatuses.end(), status);
  if (found == kStatuses.end()) found = std::find(kStatuses.begin(), found, kOtherStatuses);
  return static_cast<std::size_t>(found - kStatuses.begin());
}

// Writes the time at most once a minute, because each write invalidates the cache line on all other
// CPUs.
void record_time(Number& number, base::Time at) {
  constexpr std::uint64_t kMinute = 60;
  const auto second = static_cast<std::uint64_t>(
      std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count());
  const std::uint64_t before = number.load(memory_order_relaxed);
  if (second < before || second - before >= kMinute) number.store(second, memory_order_relaxed);
}

base::Time time_in(const Number& number) {
  return base::Time(std::chrono::seconds(number.load(memory_order_relaxed)));
}

// Returns the index of the slot for "name", allocating a free slot if necessary. If all slots are
// in use, returns the index of the last slot.
std::size_t find_slot(std::span<Number> names, std::string_view name) {
  static constexpr std::array<std::uint64_t, 2> kKey{};
  const std::uint64_t hash = base::KeyedHash(kKey)(name) | 1U;  // zero means a free slot
  std::size_t slot = 0;
  for (; slot + 1 < names.size(); ++slot) {
    std::uint64_t found = 0;
    if (names[slot].compare_exchange_strong(found, hash) || found == hash) break;
  }
  return slot;
}

void read(const Histogram& histogram, Bounds bounds, Distribution& into) {
  into.buckets.resize(bounds.size() + 1);
  for (std::size_t i = 0; i <= bounds.size(); ++i) {
    into.buckets[i] += histogram.buckets[i].load(memory_order_relaxed);
  }
  into.sum += histogram.sum.load(memory_order_relaxed);
}

void read(const MetricsTable::Series& series, RequestCounts& into) {
  for (std::size_t i = 0; i < into.statuses.size(); ++i) {
    into.statuses[i] += series.statuses[i].load(memory_order_relaxed);
  }
  read(series.durations, kDurationBounds, into.durations);
}

}  // namespace

Bounds bounds_of(Measure measure) {
  return measure == Measure::batch_size ? Bounds(kSizeBounds) : Bounds(kDurationBounds);
}

Bounds bounds_of_durations() { return kDurationBounds; }

SitesTable::Slot& SitesTable::slot_of(unsigned site) {
  for (Slot& slot : slots) {
    std::uint64_t found = 0;
    if (slot.site.compare_exchange_strong(found, site) || found == site) return slot;
  }
  return others;
}

Metrics::Metrics(MetricsTable& table, std::span<const std::string> series,
                 std::span<const std::string> issuers, SitesTable* sites, unsigned site)
    : table_(table),
      sites_(sites),
      of_site_(sites == nullptr ? nullptr : &sites->slot_of(site)),
      hash_(table.key) {
  for (const std::string& name : series) slots_.push_back(find_slot(table.names, name));
  issuers_.emplace("", find_slot(table.issuers, ""));
  for (const std::string& name : issuers) issuers_.emplace(name, find_slot(table.issuers, name));
}

void Metrics::add(Count what, std::uint64_t number) {
  const auto index = static_cast<std::size_t>(what);
  add_to(lane().counts[index], number);
}

void Metrics::add_vote(std::size_t outcome, std::size_t identified_by, bool is_refused) {
  add_to(lane().votes[outcome][identified_by], 1);
  if (of_site_ != nullptr && !is_refused) add_to(of_site_->votes, 1);
}

void Metrics::add(Measure measure, std::uint64_t value) {
  add_to(lane().measures[static_cast<std::size_t>(measure)], bounds_of(measure), value);
}

void Metrics::add_request(std::size_t series, int status, std::chrono::nanoseconds duration) {
  MetricsTable::Series& counted = lane().series[slots_[series]];
  add_to(counted.statuses[index_of_status(status)], 1);
  add_to(counted.durations, kDurationBounds, static_cast<std::uint64_t>(duration.count()));
  if (of_site_ != nullptr) add_to(of_site_->requests, 1);
}

void Metrics::add_ticket(std::string_view issuer, std::size_t result) {
  const auto found = issuers_.find(issuer);
  const std::size_t slot = found == issuers_.end() ? issuers_.at("") : found->second;
  auto& results = lane().tickets[slot].results;
  add_to(results[std::min(result, results.size() - 1)], 1);
}

// If requests are handled concurrently, a client may be counted twice or not at all. An approximate
// count is enough, because only its order of magnitude is used. If no proxy sends forwarding
// headers, CPUs do not compete for the cache line, because nothing is written.
void Metrics::count_forwarded_client(std::string_view address, std::string_view client) {
  MetricsTable::Forwarding& last = table_.forwarding;
  if (client.empty() && last.clients.load(memory_order_relaxed) == 0) return;
  const std::uint64_t address_hash = hash_(address);
  if (last.address.load(memory_order_relaxed) != address_hash) {
    last.address.store(address_hash, memory_order_relaxed);
    last.clients.store(0, memory_order_relaxed);
  }
  if (client.empty()) return;
  const std::uint64_t client_hash = hash_(client);
  if (last.client.load(memory_order_relaxed) != client_hash) {
    last.client.store(client_hash, memory_order_relaxed);
    add_to(last.clients, 1);
  }
}

void Metrics::record_vote_time(bool shows_browser, base::Time at) {
  MetricsTable::Forwarding& seen = table_.forwarding;
  record_time(shows_browser ? seen.browser_voted_at : seen.program_voted_at, at);
  if (!shows_browser) {
    add_to(seen.program_votes, 1);
  } else if (seen.program_votes.load(memory_order_relaxed) != 0) {
    // Write only if the number changes, because each write invalidates this cache line on all other
    // CPUs.
    seen.program_votes.store(0, memory_order_relaxed);
  }
}

void Metrics::record_network_changes(base::Time at) {
  record_time(table_.forwarding.networks_changed_at, at);
}

// If the kernel moves the thread to another CPU during an addition, the thread adds to the former
// CPU's lane, which is slower but correct.
MetricsTable::Lane& Metrics::lane() const {
  const auto processor = static_cast<unsigned>(sched_getcpu());
  return table_.lanes[processor % table_.lanes.size()];
}

std::uint64_t Distribution::count() const {
  return std::accumulate(buckets.begin(), buckets.end(), std::uint64_t{0});
}

std::uint64_t RequestCounts::count() const {
  return std::accumulate(statuses.begin(), statuses.end(), std::uint64_t{0});
}

std::uint64_t total(const MetricsTable& table, Count what) {
  std::uint64_t sum = 0;
  for (const auto& lane : table.lanes) {
    sum += lane.counts[static_cast<std::size_t>(what)].load(memory_order_relaxed);
  }
  return sum;
}

std::uint64_t total(const MetricsTable& table, CountGroup group) {
  std::uint64_t sum = 0;
  for (const CountInfo& count : kCounts) sum += count.group == group ? total(table, count.what) : 0;
  return sum;
}

std::uint64_t total_votes(const MetricsTable& table, std::size_t outcome,
                          std::size_t identified_by) {
  std::uint64_t sum = 0;
  for (const auto& lane : table.lanes) {
    sum += lane.votes[outcome][identified_by].load(memory_order_relaxed);
  }
  return sum;
}

Distribution distribution(const MetricsTable& table, Measure measure) {
  Distribution sum;
  for (const auto& lane : table.lanes) {
    read(lane.measures[static_cast<std::size_t>(measure)], bounds_of(measure), sum);
  }
  return sum;
}

RequestCounts requests(const MetricsTable& table, std::size_t slot) {
  RequestCounts sum;
  for (const auto& lane : table.lanes) read(lane.series[slot], sum);
  return sum;
}

RequestCounts all_requests(const MetricsTable& table) {
  RequestCounts sum;
  for (const auto& lane : table.lanes) {
    for (const auto& series : lane.series) read(series, sum);
  }
  return sum;
}

TicketCounts tickets(const MetricsTable& table, std::size_t slot) {
  TicketCounts sums{};
  for (const auto& lane : table.lanes) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += lane.tickets[slot].results[i].load(memory_order_relaxed);
    }
  }
  return sums;
}

std::uint64_t clients_per_address(const MetricsTable& table) {
  return table.forwarding.clients.load(memory_order_relaxed);
}

LastVotes last_votes(const MetricsTable& table) {
  return {time_in(table.forwarding.browser_voted_at), time_in(table.forwarding.program_voted_at),
          table.forwarding.program_votes.load(memory_order_relaxed)};
}

base::Time last_network_changes(const MetricsTable& table) {
  return time_in(table.forwarding.networks_changed_at);
}

// --- Workers -------------------------------------------------------------------------------------

namespace {

static_assert(static_cast<std::size_t>(Gauge::end) <=
              std::tuple_size_v<decltype(MetricsTable::Slot::gauges)>);

}  // namespace

bool Workers::join() {
  for (unsigned slot = 0; slot < table_.slots.size(); ++slot) {
    if (!memory_.lock_slot(slot)) continue;
    for (auto& gauge : table_.slots[slot].gauges) gauge.store(0, memory_order_relaxed);
    slot_ = slot;
    show(Gauge::process, static_cast<std::uint64_t>(getpid()));
    return true;
  }
  return false;
}

void Workers::show(Gauge gauge, std::uint64_t value) {
  if (!slot_) return;
  table_.slots[*slot_].gauges[static_cast<std::size_t>(gauge)].store(value, memory_order_relaxed);
}

std::vector<Workers::Shown> Workers::all() const {
  std::vector<Shown> shown;
  for (unsigned slot = 0; slot < table_.slots.size(); ++slot) {
    const auto& gauges = table_.slots[slot].gauges;
    const bool was_taken = gauges[0].load(memory_order_relaxed) != 0;
    if (!was_taken || (slot_ != slot && !memory_.is_locked_elsewhere(slot))) continue;
    Shown& one = shown.emplace_back();
    one.slot = slot;
    for (std::size_t i = 0; i < one.gauges.size(); ++i) {
      one.gauges[i] = gauges[i].load(memory_order_relaxed);
    }
  }
  return shown;
}

std::uint64_t sum(const std::vector<Workers::Shown>& workers, Gauge gauge) {
  std::uint64_t sum = 0;
  for (const auto& worker : workers) sum += worker.at(gauge);
  return sum;
}

}  // namespace runtime
