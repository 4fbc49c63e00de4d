#include "analytics/range_lists.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>

#include "analytics/packed.h"
#include "db/transaction.h"

namespace analytics {
namespace {

using model::Category;

constexpr auto kOfAllDays = static_cast<std::int64_t>(NamedPeriod::all);

// Returns the index of the boundary nearest to "day". Returns -1 if "day" is nearer to the start of
// the first day than to any boundary.
std::int64_t nearest(std::int64_t day, const std::vector<std::int64_t>& boundaries) {
  const auto next = std::ranges::lower_bound(boundaries, day);
  const std::int64_t before = next == boundaries.begin() ? 0 : *std::prev(next);
  const bool is_next_nearer = *next - day < day - before;
  return (next - boundaries.begin()) - (is_next_nearer ? 0 : 1);
}

// The days [begin, end) selected by a filter, counted from the first day in the stored lists.
struct ListedRange {
  base::Time as_of;
  std::int64_t begin, end;
  std::vector<std::int64_t> boundaries;
};

std::optional<ListedRange> find_range(db::Connection& connection, const std::string& zone,
                                      const RangeSource& source, const DayRange& days) {
  db::Rows row = connection.query(
      "SELECT first_day, last_day, as_of, data FROM {prefix}ratingd_kept_periods AS periods"
      " JOIN {prefix}ratingd_kept_lists AS lists ON lists.period = periods.period AND list = ?"
      " AND category = ? AND object_type = '' AND part = 0"
      " WHERE periods.period = ? AND zone = ? AND is_kept = 1",
      source.ids, kAnyCategory, kOfAllDays, zone);
  if (!row.next()) return std::nullopt;
  const base::Day first = row.day(1);
  ListedRange range{row.time(3),
                    std::max<std::int64_t>((days.first - first).count(), 0),
                    (std::min(days.last, row.day(2)) - first).count() + 1,
                    {}};
  const std::string data = row.text(4);
  for (Unpacker unpacker(data); !unpacker.is_at_end();) {
    range.boundaries.push_back(unpacker.signed_number());
  }
  // Old lists do not include the most recent ratings.
  const bool is_old = row.day(2) + std::chrono::days(1) < days.last;
  // Check the boundaries, because a damaged list may contain wrong boundaries.
  const std::vector<std::int64_t>& boundaries = range.boundaries;
  const bool are_boundaries = !boundaries.empty() && boundaries.front() > 0 &&
                              boundaries.back() >= range.end &&
                              std::is_sorted(boundaries.begin(), boundaries.end());
  if (range.begin >= range.end || is_old || !are_boundaries) return std::nullopt;
  return range;
}

// The rated objects of one type, or the users who rated them, in the order of the object_ids or
// user_ids list.
struct TypeInRange {
  std::vector<std::uint64_t> ids;
  std::vector<base::Time> first_rated_at, last_rated_at;  // only for users
  // The vector for a category is empty if no sums were read for the category.
  std::array<std::vector<Sums>, model::kCategories.size()> sums{};

  [[nodiscard]] SumsByCategory sums_at(std::size_t place) const {
    SumsByCategory by_category{};
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (!sums[i].empty()) by_category[i] = sums[i][place];
    }
    return by_category;
  }
};
using RangeByType = std::map<std::string, TypeInRange>;

RangeByType read_ids(db::Connection& connection, const RangeSource& source,
                     const RatingFilter& filter) {
  db::Rows row = connection.query(
      "SELECT object_type, data FROM {prefix}ratingd_kept_lists FORCE INDEX (PRIMARY)"
      " WHERE period = ? AND list = ? AND category = ? AND object_type <> ''"
      " AND ? IN ('', object_type) ORDER BY object_type, part",
      kOfAllDays, source.ids, kAnyCategory, filter.object_type.value_or(""));
  RangeByType types;
  while (row.next()) {
    TypeInRange& type = types[row.text(1)];
    const std::string data = row.text(2);
    for (Unpacker unpacker(data); !unpacker.is_at_end();) {
      type.ids.push_back(unpacker.number());
      if (source.are_objects) continue;
      type.first_rated_at.emplace_back(std::chrono::microseconds(unpacker.fixed_number()));
      type.last_rated_at.emplace_back(std::chrono::microseconds(unpacker.fixed_number()));
    }
  }
  return types;
}

void add_part(std::vector<Sums>& sums, bool have_signs, std::int64_t sign, std::string_view data) {
  std::size_t place = 0;
  for (Unpacker unpacker(data); !unpacker.is_at_end(); ++place) {
    place += unpacker.number();
    if (place >= sums.size()) return;  // the list is damaged
    Sums& one = sums[place];
    one.total += sign * unpacker.signed_number();
    one.sum += sign * unpacker.signed_number();
    if (!have_signs) continue;
    one.positive += sign * unpacker.signed_number();
    one.negative += sign * unpacker.signed_number();
  }
}

void add_parts(db::Connection& connection, const RangeSource& source, const RangeParts& parts,
               Category category, const std::string& name, TypeInRange& type) {
  std::vector<Sums>& sums = type.sums[static_cast<std::size_t>(category)];
  sums.resize(type.ids.size());
  const std::int64_t scale = parts.are_days ? 1 : kPartsOfBoundary;
  db::Rows row = connection.query(
      "SELECT data FROM {prefix}ratingd_kept_lists WHERE period = ? AND list = ?"
      " AND category = ? AND object_type = ? AND part BETWEEN ? AND ?",
      kOfAllDays, parts.are_days ? source.days : source.sums, category, name, scale * parts.first,
      scale * (parts.last + 1) - 1);
  while (row.next()) add_part(sums, source.has_signs_of(category), parts.sign, row.text(1));
}

// Uses the lists to compute the sums for the days selected by the filter.
std::optional<Materialized<RangeByType>> read_range(db::Connection& connection,
                                                    const std::string& zone,
                                                    const RangeSource& source,
                                                    const RatingFilter& filter) {
  const db::Transaction snapshot = db::one_snapshot(connection);
  const auto range = find_range(connection, zone, source, filter.days);
  if (!range) return std::nullopt;
  Materialized<RangeByType> found{read_ids(connection, source, filter), range->as_of};
  const auto all_parts = parts_of_range(range->begin, range->end, range->boundaries);
  for (auto& [name, type] : found.value) {
    for (const Category category : model::kCategories) {
      if (filter.category.value_or(category) != category) continue;
      for (const RangeParts& parts : all_parts) {
        add_parts(connection, source, parts, category, name, type);
      }
    }
  }
  return found;
}

// Calls "use" for each user.
template <typename Use>
void for_users(const RangeByType& types, const Use& use) {
  ById<UserSums> users;  // used only if there are several types
  for (const auto& [name, type] : types) {
    for (std::size_t place = 0; place < type.ids.size(); ++place) {
      UserSums user{type.ids[place], type.sums_at(place), type.first_rated_at[place],
                    type.last_rated_at[place]};
      if (types.size() == 1) {
        use(user);
        continue;
      }
      UserSums& known = users[user.user_id];
      add(user.by_category, known.by_category);
      known = user;
    }
  }
  for (const auto& [id, user] : users) use(user);
}

}  // namespace

std::vector<std::int64_t> boundaries_of(const std::vector<std::int64_t>& ratings) {
  const auto share = std::accumulate(ratings.begin(), ratings.end(), std::int64_t{0}) / kShares;
  std::vector<std::int64_t> boundaries;
  std::int64_t since_boundary = 0;
  for (std::size_t day = 0; day < ratings.size(); ++day) {
    if (since_boundary > 0 && since_boundary + ratings[day] > share) {
      boundaries.push_back(static_cast<std::int64_t>(day));
      since_boundary = 0;
    }
    since_boundary += ratings[day];
  }
  boundaries.push_back(std::ssize(ratings));
  return boundaries;
}

std::vector<RangeParts> parts_of_range(std::int64_t begin, std::int64_t end,
                                       const std::vector<std::int64_t>& boundaries) {
  const std::int64_t of_begin = nearest(begin, boundaries);
  const std::int64_t of_end = nearest(end, boundaries);
  if (of_begin == of_end) return {{true, begin, end - 1, 1}};
  std::vector<RangeParts> parts;
  // Adds the sums of all days before "day" to "parts", or subtracts these sums if "sign" is -1.
  const auto add_before = [&](std::int64_t day, std::int64_t boundary, std::int64_t sign) {
    const std::int64_t at = boundary < 0 ? 0 : boundaries[static_cast<std::size_t>(boundary)];
    if (at > 0) parts.push_back({false, boundary, boundary, sign});
    if (at < day) parts.push_back({true, at, day - 1, sign});
    if (day < at) parts.push_back({true, day, at - 1, -sign});
  };
  add_before(end, of_end, 1);
  add_before(begin, of_begin, -1);
  return parts;
}

std::optional<Materialized<SumsByTypeAndId>> materialized_sums_of_objects(
    db::Connection& connection, const std::string& zone, const RatingFilter& filter) {
  auto range = read_range(connection, zone, kRangesOfObjects, filter);
  if (!range) return std::nullopt;
  const SumsByCategory no_sums{};
  Materialized<SumsByTypeAndId> found{{}, range->as_of};
  for (auto& [name, type] : range->value) {
    SumsById& of_type = found.value[name];
    for (std::size_t place = 0; place < type.ids.size(); ++place) {
      const SumsByCategory sums = type.sums_at(place);
      if (sums != no_sums) of_type[type.ids[place]] = sums;
    }
    type = {};  // frees the memory
  }
  return found;
}

std::optional<Materialized<Slice<UserSums>>> list_materialized_users(
    db::Connection& connection, const std::string& zone, const RatingFilter& filter,
    const UserComesBefore& order, std::int64_t offset, std::int64_t limit) {
  const auto range = read_range(connection, zone, kRangesOfUsers, filter);
  if (!range) return std::nullopt;
  UserPage page(filter, order, offset, limit);
  for_users(range->value, [&](const UserSums& user) { page.add(user); });
  return Materialized<Slice<UserSums>>{page.finish(), range->as_of};
}

}  // namespace analytics
