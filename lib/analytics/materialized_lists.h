#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analytics/calendar.h"
#include "analytics/rating_sums.h"
#include "analytics/user_analytics.h"
#include "base/clock.h"
#include "db/connection.h"

namespace analytics {

// DESIGN. Computing the lists for a named period at each request would be too slow, because the
// rollups contain a row for each day and each object or user. Periodically, one worker computes the
// lists for each named period and stores them in the database for all workers (ListRefresher).
//
// The "objects" list contains the sums of all objects in each category, ordered by type and id.
// Workers use the "objects" list to compute responses for any sort order, page and set of excluded
// objects (analytics/ranking.h). For each of the most rated types, the "overview" list contains the
// objects with the most ratings across all categories. The "types" list contains the number of
// rated objects for each type. The "users" list for a sort order contains the users who come first
// in this order. Each combination of a category (or all categories) and a type (or all types) has
// its own "users" list. The lists whose names begin with "object_" or "user_" are used for
// arbitrary ranges of days (analytics/range_lists.h).
//
// A list is one row in the table ratingd_kept_lists, or several rows if the list is long. All lists
// of the same period are replaced in one transaction.

// The minimum number of entries in the "overview" and "users" lists, if there are enough objects or
// users.
inline constexpr std::size_t kListEntries = 200;

// The maximum number of types with separate lists. Only the types with the most ratings have
// separate lists.
inline constexpr std::size_t kListTypes = 10;

// The number that identifies a list in the ratingd_kept_lists table. Each variant of the "users"
// list has its own number, from 3 to 10. If a new version changes the content of a list, the list
// gets a new number, because workers with the old version may still read the table. Do not reuse
// the list numbers 11 to 13, which earlier versions used.
enum class ListKind : std::uint8_t {
  objects,
  overview,
  types,
  users,
  object_ids = 14,
  object_days,
  object_sums,
  user_ids,
  user_days,
  user_sums
};

// The value in the "category" column that represents all categories combined.
inline constexpr std::int64_t kAnyCategory = model::kCategories.size();

// One row in the table ratingd_kept_lists.
struct ListPart {
  ListKind list = ListKind::objects;
  std::uint8_t variant = 0;                      // for the list "users": its order and direction
  std::optional<model::Category> category = {};  // empty for all categories together
  std::string object_type = {};                  // empty for all types together
  std::int64_t part = 0;
  std::int64_t entries = 0;  // the number of entries in the whole list
  std::string data = {};
};

// Returns the value of ListPart::variant for the "users" list in the sort order "order".
[[nodiscard]] std::uint8_t variant_of(const UserComesBefore& order);

// Selects the lists of a named period, if the lists were built for the given days and time zone.
struct ListQuery {
  NamedPeriod period = NamedPeriod::today;
  DayRange days;
  std::string zone;

  bool operator==(const ListQuery&) const = default;
};

template <typename Value>
struct Materialized {
  Value value;
  base::Time as_of;
};

// Functions that read a list return nothing if the list is not materialized. All functions throw
// the same exceptions as db::Connection.

// Returns the same result as rank(), but reads a materialized list instead of computing the sums.
// The filter must have a category.
[[nodiscard]] std::optional<Materialized<Slice<RankedObject>>> materialized_top(
    db::Connection& connection, const ListQuery& query, const RatingFilter& filter,
    const RankingQuery& ranking, std::int64_t offset, std::int64_t limit);

// Returns the same result as most_rated() for the objects of one type, but reads a materialized
// list.
[[nodiscard]] std::optional<Materialized<std::vector<ObjectSums>>> materialized_most_rated(
    db::Connection& connection, const ListQuery& query, const std::string& object_type,
    const model::ObjectSet& hidden, std::int64_t limit);

// Returns the same result as count_rated(), but reads a materialized list instead of computing the
// sums.
[[nodiscard]] std::optional<Materialized<std::map<std::string, std::int64_t>>>
materialized_rated_objects(db::Connection& connection, const ListQuery& query,
                           const RatingFilter& filter);

// Returns the same result as list_users(), but reads a materialized list.
[[nodiscard]] std::optional<Materialized<Slice<UserSums>>> materialized_users(
    db::Connection& connection, const ListQuery& query, const RatingFilter& filter,
    const UserComesBefore& order, std::int64_t offset, std::int64_t limit);

// The state of a period's lists.
struct ListState {
  ListQuery query;
  base::Time as_of;
  std::string changes;  // stays the same as long as no vote arrives
  // The time that it took to build the lists. If the state was read from the database, "cost"
  // includes the time for writing the lists.
  std::chrono::milliseconds cost{0};
  // If false, the period has no lists, and responses about the period are computed on demand.
  bool is_materialized = true;
};
[[nodiscard]] std::map<NamedPeriod, ListState> list_states(db::Connection& connection);

// Replaces all stored lists of one period with "parts". Does not rewrite unchanged rows, because
// rows such as the sums for past days may occupy 100 MB.
void replace_lists(db::Connection& connection, const ListState& state,
                   const std::vector<ListPart>& parts);

// Marks all lists as stale, so that no list is read before the next refresh. Call this function
// after an operation that may leave ListState::changes unchanged, such as a repair of the sums.
void invalidate_lists(db::Connection& connection);

// Records that the period's lists were still up to date at "as_of".
void confirm_lists(db::Connection& connection, NamedPeriod period, base::Time as_of);

// Builds the lists of all categories and types for the filter's days. Reads one row per object and
// day, and one row per user and day. Keeps the lists in memory, but not the underlying rows. Throws
// the same exceptions as db::Connection.
[[nodiscard]] std::vector<ListPart> build_materialized_lists(db::Connection& connection,
                                                             const RatingFilter& filter);

// Refreshes the materialized lists for the named periods, for the workers on all hosts. Also calls
// rollups::follow_zone(), so that the rollups use the CMS's time zone. Every worker checks whether
// a list must be refreshed. The first worker that finds a stale list refreshes the list under a
// lock in the database server. The server releases the lock if the worker's session ends.
//
// The lists of a period are refreshed if votes have arrived since the last refresh. The interval
// between two refreshes of a period's lists is at least kLeastInterval, and at least kShare times
// the duration of a refresh. The lists are refreshed immediately if their period covers different
// days than before, for example after midnight. If a host whose clock is ahead has stored lists for
// tomorrow, tomorrow's lists are refreshed at the usual interval. After a failed refresh, the
// worker waits kShare * kLongestStatement before the next attempt. If a period's rows can be read
// quickly, the period has no materialized lists, and responses are computed on demand.
//
// Not safe for concurrent use.
class ListRefresher {
 public:
  static constexpr std::chrono::seconds kLeastInterval{60};
  static constexpr int kShare = 50;
  static constexpr std::chrono::seconds kLongestStatement{60};

  // A period has materialized lists if reading its rows takes at least kMinCost.
  static constexpr std::chrono::milliseconds kMinCost{50};

  // "cms" and "clock" must outlive this object.
  ListRefresher(const cms::Cms& cms, const base::Clock& clock,
                std::chrono::milliseconds min_cost = kMinCost);

  // Refreshes the lists that are due for a refresh. Returns the number of periods whose lists were
  // rebuilt. Blocks until the lists are complete. The connection's statement_timeout must be
  // kLongestStatement. Throws db::Conflict if another worker is refreshing lists. Also throws the
  // exceptions of db::Connection and rollups::read_state().
  int refresh(db::Connection& connection);

 private:
  using States = std::map<NamedPeriod, ListState>;
  struct Site {
    Calendar calendar;
    std::optional<base::Day> first_day;
  };
  [[nodiscard]] ListQuery query(const Site& site, NamedPeriod period) const;
  [[nodiscard]] bool is_due(const States& states, const ListQuery& query) const;
  bool refresh(db::Connection& connection, const ListQuery& query, const States& states,
               std::optional<base::Day> first_day);
  [[nodiscard]] std::string changes(db::Connection& connection) const;

  const cms::Cms& cms_;
  const base::Clock& clock_;
  const std::chrono::milliseconds min_cost_;
  std::map<NamedPeriod, base::Time> not_before_;  // after a failure, the time of the next attempt
};

}  // namespace analytics
