#include "analytics/list_refresher.h"

#include <algorithm>

#include "analytics/rating_sums.h"
#include "base/clock.h"
#include "db/lease.h"
#include "rollups/rollup_state.h"
#include "rollups/stats_store.h"

namespace analytics {
namespace {

constexpr std::chrono::minutes kClockSkew{1};  // the difference between the hosts' clocks

std::chrono::milliseconds pause_after(std::chrono::milliseconds cost) {
  return std::max<std::chrono::milliseconds>(ListRefresher::kLeastInterval,
                                             ListRefresher::kShare * cost);
}

}  // namespace

ListRefresher::ListRefresher(const cms::Cms& cms, const base::Clock& clock,
                             std::chrono::milliseconds min_cost)
    : cms_(cms), clock_(clock), min_cost_(min_cost) {}

int ListRefresher::refresh(db::Connection& connection) {
  Site site{read_calendar(connection, cms_), first_day(connection)};
  if (rollups::follow_zone(connection, site.calendar.site_zone, clock_.now())) {
    site.calendar = read_calendar(connection, cms_);
  }
  const auto is_any_due = [&] {
    const States states = list_states(connection);
    return std::any_of(kNamedPeriods.begin(), kNamedPeriods.end(),
                       [&](NamedPeriod period) { return is_due(states, query(site, period)); });
  };
  if (!is_any_due()) return 0;
  const db::Lease lease(connection, "lists", std::chrono::seconds(0),
                        "Another worker makes the lists.");
  int refreshed = 0;
  const States states = list_states(connection);  // another worker may have just refreshed
  for (const NamedPeriod period : kNamedPeriods) {
    const ListQuery due = query(site, period);
    if (is_due(states, due) && refresh(connection, due, states, site.first_day)) ++refreshed;
  }
  return refreshed;
}

ListQuery ListRefresher::query(const Site& site, NamedPeriod period) const {
  const base::Day today = site.calendar.zones.day_of(clock_.now());
  return {period, days_of(period, site.calendar, today, site.first_day), site.calendar.zone.name()};
}

bool ListRefresher::is_due(const States& states, const ListQuery& query) const {
  const base::Time now = clock_.now();
  const auto failed = not_before_.find(query.period);
  if (failed != not_before_.end() && now < failed->second) return false;
  const auto state = states.find(query.period);
  if (state == states.end()) return true;
  const ListQuery& kept = state->second.query;
  // If the time of a list is in the future, the list was made before the clock was set back.
  const auto age = now - state->second.as_of;
  const bool is_fresh = age < pause_after(state->second.cost) && age > -kClockSkew;
  if (kept == query) return !is_fresh;
  // A list for a later day was made by a host where the next day has already begun. Hosts with
  // different clocks must not replace each other's lists all the time.
  return !is_fresh || kept.zone != query.zone || kept.days.last <= query.days.last;
}

// Refreshes the lists for one period. Returns whether there was new data.
bool ListRefresher::refresh(db::Connection& connection, const ListQuery& query,
                            const States& states, std::optional<base::Day> first_day) {
  // Votes that arrive during this read are noticed by the next refresh.
  ListState state{.query = query, .as_of = clock_.now(), .changes = changes(connection)};
  const auto before = states.find(query.period);
  if (before != states.end() && before->second.query == query &&
      before->second.changes == state.changes) {
    confirm_lists(connection, query.period, state.as_of);
    return false;
  }
  not_before_[query.period] = state.as_of + pause_after(kLongestStatement);
  const base::Stopwatch stopwatch;
  RatingFilter filter;
  filter.days = query.days;
  filter.is_all = query.period == NamedPeriod::all;
  if (first_day) filter.other_days = (query.days.first - *first_day).count() + 1;
  const auto parts = build_materialized_lists(connection, filter);
  state.cost = stopwatch.elapsed();
  state.is_materialized = state.cost >= min_cost_;
  replace_lists(connection, state, state.is_materialized ? parts : std::vector<ListPart>());
  not_before_.erase(query.period);
  return true;
}

// Returns a string that changes whenever the data change. Each batch of votes increments its
// writer's sequence. Imports, holds, releases, aggregation and cleaning increment the sequence of
// writer 0. Rebuilds of the rollups have a separate number. The site's sums detect manual changes.
// The text begins with the number of the last list in ListKind because another version may not have
// made this list.
std::string ListRefresher::changes(db::Connection& connection) const {
  db::Rows row = connection.query(
      "SELECT CONCAT_WS(' ', ?, (SELECT COALESCE(SUM(sequence), 0) FROM {prefix}ratingd_writers),"
      " (SELECT MAX(rebuilds) FROM {prefix}ratingd_rollup_state), SUM(sum), SUM(" +
          std::string(rollups::kTotalOfBins) + ")) FROM {prefix}ratingd_site_daily",
      ListKind::user_sums);
  return row.next() ? row.text(1) : "";
}

}  // namespace analytics
