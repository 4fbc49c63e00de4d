#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analytics/calendar.h"
#include "analytics/object_analytics.h"
#include "analytics/user_analytics.h"
#include "db/connection.h"

namespace analytics {

// DESIGN. The lists of a named period are made from a row for each object and day, or user and day:
// too many to read per request. So one worker of all reads them periodically
// (analytics/list_refresher.h), sums them up, and stores for each period
//
//   objects   of each category, the sums of all objects, by type and id: whatever order, page or
//             exclusion is asked for is made from them (analytics/ranker.h);
//   overview  of each of the types with most ratings, those with most ratings in all categories;
//   types     how many objects of each type have ratings in any category;
//   users     of each category and all, each of those types and all, each order and direction, the
//             first ones;
//   object_…, user_…  for sums over other days (analytics/range_lists.h).
//
// A list is one row of table kept_lists, or several if it is long. All lists of a period are
// replaced in one transaction, and each query is answered by one statement.

// The minimum number of entries of overview and users, if there are as many.
inline constexpr std::size_t kListEntries = 200;

// The maximum number of types with lists of their own: those with most ratings.
inline constexpr std::size_t kListTypes = 10;

// The numbers from "users" on are those of its variants. A list whose content changes gets a new
// number, because workers of two versions may read it; 11 to 13 were in use.
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

// The number of all categories together in the table.
inline constexpr std::int64_t kAnyCategory = model::kCategories.size();

// One row of the table.
struct ListPart {
  ListKind list = ListKind::objects;
  std::uint8_t variant = 0;                      // of users: order and direction
  std::optional<model::Category> category = {};  // of all if there is none
  std::string object_type = {};                  // empty: any
  std::int64_t part = 0;
  std::int64_t entries = 0;  // of the whole list
  std::string data = {};
};

// The variant of the users' list with this order.
[[nodiscard]] std::uint8_t variant_of(const UserComesBefore& order);

// Selects the lists of a period, provided that they were made for these days in this zone.
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

// Read and write the lists. The reading functions return nothing if the list is not materialized.
// Errors of all functions: as db::Connection.

// As rank() of the sums of the filter. REQUIRES: the filter has a category.
[[nodiscard]] std::optional<Materialized<Slice<RankedObject>>> materialized_top(
    db::Connection& connection, const ListQuery& query, const RatingFilter& filter,
    const RankingQuery& ranking, std::int64_t offset, std::int64_t limit);

// As most_rated(), of one type.
[[nodiscard]] std::optional<Materialized<std::vector<ObjectSums>>> materialized_most_rated(
    db::Connection& connection, const ListQuery& query, const std::string& object_type,
    const model::ObjectSet& hidden, std::int64_t limit);

// As count_rated().
[[nodiscard]] std::optional<Materialized<std::map<std::string, std::int64_t>>>
materialized_rated_objects(db::Connection& connection, const ListQuery& query,
                           const RatingFilter& filter);

// As list_users().
[[nodiscard]] std::optional<Materialized<Slice<UserSums>>> materialized_users(
    db::Connection& connection, const ListQuery& query, const RatingFilter& filter,
    const UserComesBefore& order, std::int64_t offset, std::int64_t limit);

// The state of a period's lists.
struct ListState {
  ListQuery query;
  base::Time as_of;
  std::string changes;                // equal as long as no vote has come
  std::chrono::milliseconds cost{0};  // to build them; as stored, with writing
  bool is_materialized = true;        // else there are no lists, and all answers are computed
};
[[nodiscard]] std::map<NamedPeriod, ListState> list_states(db::Connection& connection);

// Replaces the lists of a period. Parts that are the same are not written: most are sums of days
// long past, which may be 100 MB.
void replace_lists(db::Connection& connection, const ListState& state,
                   const std::vector<ListPart>& parts);

// Marks all lists as stale and unreadable until the next refresh: for changes that "changes" may
// not reflect.
void invalidate_lists(db::Connection& connection);

// Records that nothing changed until "as_of".
void confirm_lists(db::Connection& connection, NamedPeriod period, base::Time as_of);

// Builds all lists of a period: sums up the ratings of the filter's days, of all categories and
// types. Reads a row for each object and day, and for each user and day; only the lists are held in
// memory. Errors: as db::Connection.
[[nodiscard]] std::vector<ListPart> build_materialized_lists(db::Connection& connection,
                                                             const RatingFilter& filter);

}  // namespace analytics
