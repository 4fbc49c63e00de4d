#include "analytics/materialized_lists.h"

#include <algorithm>
#include <set>

#include "analytics/packed.h"
#include "analytics/ranking.h"
#include "analytics/rating_sums.h"
#include "base/clock.h"
#include "db/lease.h"
#include "db/transaction.h"
#include "rollups/rollup_state.h"
#include "rollups/stats_store.h"

namespace analytics {
namespace {

using model::Category;

std::int64_t number_of(const std::optional<Category>& category) {
  return category ? static_cast<std::int64_t>(*category) : kAnyCategory;
}

std::int64_t number_of(ListKind list, std::uint8_t variant) {
  return static_cast<std::int64_t>(list) + variant;
}

struct PartKey {
  std::int64_t list, category;
  std::string object_type;
  std::int64_t part;

  void bind_to(db::Statement& statement) const {
    statement.bind(list, category, object_type, part);
  }
  auto operator<=>(const PartKey&) const = default;
};

std::set<PartKey> stored_parts(db::Connection& connection, std::int64_t period) {
  db::Rows row = connection.query(
      "SELECT list, category, object_type, part FROM {prefix}ratingd_kept_lists WHERE period = ?",
      period);
  std::set<PartKey> keys;
  while (row.next()) {
    keys.insert({row.integer(1), row.integer(2), row.text(3), row.integer(4)});
  }
  return keys;
}

void read_by_category(Unpacker& unpacker, SumsByCategory& sums) {
  for (Sums& one : sums) {
    one.total = unpacker.signed_number();
    one.sum = unpacker.signed_number();
  }
}

// Calls "use(type, id, sums)" for each object in the "objects" list.
template <typename Use>
void for_objects(const std::vector<ListPart>& parts, const Use& use) {
  for (const ListPart& part : parts) {
    Unpacker unpacker(part.data);
    std::string_view type;
    std::uint64_t id = 0;
    while (!unpacker.is_at_end()) {
      const std::uint64_t step = unpacker.number();
      if (step == 0) {  // the next type begins here
        type = unpacker.text();
        id = 0;
        continue;
      }
      id += step;
      Sums sums;
      sums.total = unpacker.signed_number();
      sums.sum = unpacker.signed_number();
      sums.positive = unpacker.signed_number();
      sums.negative = unpacker.signed_number();
      use(type, id, sums);
    }
  }
}

base::Time time_of(std::int64_t microseconds) {
  return base::Time(std::chrono::microseconds(microseconds));
}

struct Name {
  ListKind list;
  std::uint8_t variant = 0;
  std::optional<Category> category = {};
  std::string object_type = {};
};
struct Found {
  std::vector<ListPart> parts;  // in order
  base::Time as_of;
};

std::optional<Found> read_list(db::Connection& connection, const ListQuery& query,
                               const Name& name) {
  db::Rows row = connection.query(
      "SELECT as_of, part, entries, data FROM {prefix}ratingd_kept_periods AS periods"
      " LEFT JOIN {prefix}ratingd_kept_lists AS lists ON lists.period = periods.period"
      " AND list = ? AND category = ? AND object_type = ? WHERE periods.period = ?"
      " AND first_day = ? AND last_day = ? AND zone = ? AND is_kept = 1",
      number_of(name.list, name.variant), number_of(name.category), name.object_type, query.period,
      query.days.first, query.days.last, query.zone);
  std::optional<Found> found;
  while (row.next()) {
    if (!found) found = Found{{}, row.time(1)};
    if (row.is_null(2)) continue;
    found->parts.push_back(
        {.part = row.integer(2), .entries = row.integer(3), .data = row.text(4)});
  }
  if (found) {  // sort here because the server would sort on disk
    std::ranges::sort(found->parts, {}, &ListPart::part);
  }
  return found;
}

bool is_unrated(db::Connection& connection, const ListQuery& query,
                const std::string& object_type) {
  RatingFilter filter;
  filter.object_type = object_type;
  const auto counts = materialized_rated_objects(connection, query, filter);
  return counts && counts->value.empty();
}

}  // namespace

std::uint8_t variant_of(const UserComesBefore& order) {
  return static_cast<std::uint8_t>(2 * static_cast<int>(order.order) + (order.ascending ? 1 : 0));
}

std::optional<Materialized<Slice<RankedObject>>> materialized_top(
    db::Connection& connection, const ListQuery& query, const RatingFilter& filter,
    const RankingQuery& ranking, std::int64_t offset, std::int64_t limit) {
  const auto found =
      read_list(connection, query, {.list = ListKind::objects, .category = filter.category});
  if (!found) return std::nullopt;
  Ranker ranker(ranking);
  for_objects(found->parts, [&](std::string_view type, std::uint64_t id, const Sums& sums) {
    if (!filter.object_type || *filter.object_type == type) ranker.add(type, id, sums);
  });
  return Materialized<Slice<RankedObject>>{ranker.slice(offset, limit), found->as_of};
}

std::optional<Materialized<std::vector<ObjectSums>>> materialized_most_rated(
    db::Connection& connection, const ListQuery& query, const std::string& object_type,
    const model::ObjectSet& hidden, std::int64_t limit) {
  const auto found =
      read_list(connection, query, {.list = ListKind::overview, .object_type = object_type});
  if (!found) return std::nullopt;
  Materialized<std::vector<ObjectSums>> materialized{{}, found->as_of};
  if (found->parts.empty()) {
    if (is_unrated(connection, query, object_type)) return materialized;
    return std::nullopt;
  }
  Unpacker unpacker(found->parts.front().data);
  while (!unpacker.is_at_end() && static_cast<std::int64_t>(materialized.value.size()) < limit) {
    ObjectSums object{{unpacker.number(), object_type}, {}};
    read_by_category(unpacker, object.by_category);
    if (!hidden.contains(object_type, object.object.id))
      materialized.value.push_back(std::move(object));
  }
  const bool has_more = found->parts.front().entries > static_cast<std::int64_t>(kListEntries);
  if (has_more && static_cast<std::int64_t>(materialized.value.size()) < limit) return std::nullopt;
  return materialized;
}

std::optional<Materialized<std::map<std::string, std::int64_t>>> materialized_rated_objects(
    db::Connection& connection, const ListQuery& query, const RatingFilter& filter) {
  const ListKind list = filter.category ? ListKind::objects : ListKind::types;
  const auto found = read_list(connection, query, {.list = list, .category = filter.category});
  if (!found) return std::nullopt;
  std::map<std::string, std::int64_t> counts;
  const auto count = [&](std::string_view type, std::int64_t objects) {
    if (!filter.object_type || *filter.object_type == type) counts[std::string(type)] += objects;
  };
  if (filter.category) {
    for_objects(found->parts,
                [&](std::string_view type, std::uint64_t, const Sums&) { count(type, 1); });
  } else {
    for (const ListPart& part : found->parts) {
      for (Unpacker unpacker(part.data); !unpacker.is_at_end();) {
        const std::string_view type = unpacker.text();
        count(type, unpacker.signed_number());
      }
    }
  }
  return Materialized<std::map<std::string, std::int64_t>>{counts, found->as_of};
}

std::optional<Materialized<Slice<UserSums>>> materialized_users(
    db::Connection& connection, const ListQuery& query, const RatingFilter& filter,
    const UserComesBefore& order, std::int64_t offset, std::int64_t limit) {
  const std::string type = filter.object_type.value_or("");
  const auto found =
      read_list(connection, query, {ListKind::users, variant_of(order), filter.category, type});
  if (!found) return std::nullopt;
  Materialized<Slice<UserSums>> materialized{{}, found->as_of};
  if (found->parts.empty()) {
    if (filter.object_type && is_unrated(connection, query, type)) return materialized;
    return std::nullopt;
  }
  const ListPart& list = found->parts.front();
  materialized.value.total = list.entries;
  Unpacker unpacker(list.data);
  for (std::int64_t place = 0; !unpacker.is_at_end() && place < offset + limit; ++place) {
    UserSums user;
    user.user_id = unpacker.number();
    read_by_category(unpacker, user.by_category);
    user.first_rated_at = time_of(unpacker.signed_number());
    user.last_rated_at = time_of(unpacker.signed_number());
    if (place >= offset) materialized.value.items.push_back(user);
  }
  const auto size = static_cast<std::int64_t>(materialized.value.items.size());
  if (size < limit && offset + size < list.entries && offset < list.entries) return std::nullopt;
  return materialized;
}

std::map<NamedPeriod, ListState> list_states(db::Connection& connection) {
  std::map<NamedPeriod, ListState> states;
  db::Rows row =
      connection
          .prepare(
              "SELECT period, first_day, last_day, zone, as_of, changes, cost_ms, is_kept"
              " FROM {prefix}ratingd_kept_periods")
          .query();
  while (row.next()) {
    const auto period = static_cast<NamedPeriod>(row.integer(1));
    states[period] = {{period, {row.day(2), row.day(3)}, row.text(4)},
                      row.time(5),
                      row.text(6),
                      std::chrono::milliseconds(row.integer(7)),
                      row.integer(8) != 0};
  }
  return states;
}

void replace_lists(db::Connection& connection, const ListState& state,
                   const std::vector<ListPart>& parts) {
  const base::Stopwatch stopwatch;
  const auto period = static_cast<std::int64_t>(state.query.period);
  db::Transaction transaction(connection);
  std::set<PartKey> stale = stored_parts(connection, period);
  for (const ListPart& part : parts) {
    const PartKey key{number_of(part.list, part.variant), number_of(part.category),
                      part.object_type, part.part};
    // The database server writes only rows whose values change.
    connection.execute(
        "INSERT INTO {prefix}ratingd_kept_lists"
        " (period, list, category, object_type, part, entries, data) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON DUPLICATE KEY UPDATE entries = VALUES(entries), data = VALUES(data)",
        period, key, part.entries, part.data);
    stale.erase(key);
  }
  for (const PartKey& key : stale) {
    connection.execute(
        "DELETE FROM {prefix}ratingd_kept_lists WHERE period = ? AND list = ? AND category = ?"
        " AND object_type = ? AND part = ?",
        period, key);
  }
  connection.execute(
      "REPLACE INTO {prefix}ratingd_kept_periods"
      " (period, first_day, last_day, zone, as_of, changes, cost_ms, is_kept)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      period, state.query.days.first, state.query.days.last, state.query.zone, state.as_of,
      state.changes, std::int64_t{(state.cost + stopwatch.elapsed()).count()},
      std::int64_t{state.is_materialized});
  transaction.commit();
}

void invalidate_lists(db::Connection& connection) {
  connection.execute("DELETE FROM {prefix}ratingd_kept_periods");
}

void confirm_lists(db::Connection& connection, NamedPeriod period, base::Time as_of) {
  connection.execute("UPDATE {prefix}ratingd_kept_periods SET as_of = ? WHERE period = ?", as_of,
                     period);
}

// --- ListRefresher -------------------------------------------------------------------------------

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
  // Read the states of the lists again while holding the lock, because another worker may have just
  // refreshed the lists.
  const States states = list_states(connection);
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
  // A negative age means that the clock was set back after the list was made.
  const auto age = now - state->second.as_of;
  const bool is_fresh = age < pause_after(state->second.cost) && age > -kClockSkew;
  if (kept == query) return !is_fresh;
  // A host whose clock is ahead may have stored lists for tomorrow. Keep tomorrow's lists until
  // their next regular refresh, because otherwise hosts with different clocks would continually
  // replace each other's lists.
  return !is_fresh || kept.zone != query.zone || kept.days.last <= query.days.last;
}

// Refreshes the lists for one period. Returns whether the ratings had changed since the last
// refresh.
bool ListRefresher::refresh(db::Connection& connection, const ListQuery& query,
                            const States& states, std::optional<base::Day> first_day) {
  // Read the time and the change counters before building the lists, so that the next refresh
  // detects votes that arrive during this refresh.
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

// Returns a string that changes whenever the ratings change. Each batch of votes increments the
// sequence number of the vote writer that stores the batch. Operations that import, hold, release,
// aggregate or clean up votes increment the sequence number in the row for writer 0. A separate
// counter records rebuilds of the rollups. The string also contains the sums of all ratings, which
// reveal manual changes to the tables. The string begins with the highest ListKind number, so lists
// stored by a version with fewer list kinds count as outdated.
std::string ListRefresher::changes(db::Connection& connection) const {
  db::Rows row = connection.query(
      "SELECT CONCAT_WS(' ', ?, (SELECT COALESCE(SUM(sequence), 0) FROM {prefix}ratingd_writers),"
      " (SELECT MAX(rebuilds) FROM {prefix}ratingd_rollup_state), SUM(sum), SUM(" +
          std::string(rollups::kTotalOfBins) + ")) FROM {prefix}ratingd_site_daily",
      ListKind::user_sums);
  return row.next() ? row.text(1) : "";
}

}  // namespace analytics
