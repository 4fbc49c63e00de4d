#include "analytics/object_analytics.h"

#include "analytics/ranker.h"
#include "db/bulk_statement.h"

namespace analytics {
namespace {

using model::Category;
using model::Object;

struct ObjectAndDay {
  const Object* object;
  base::Day day;
};

constexpr db::BulkStatement kReadDaysOfObjects(
    {"SELECT object_id, object_type, category, day, total, sum, positive, negative"
     " FROM {prefix}ratingd_daily FORCE INDEX (PRIMARY) WHERE ",
     "(category IN (0, 1, 2) AND day = ? AND object_type = ? AND object_id = ?)", " OR ", ""});

}  // namespace

std::optional<Slice<RankedObject>> top_objects(db::Connection& connection,
                                               const RatingFilter& filter,
                                               const RankingQuery& ranking, std::int64_t offset,
                                               std::int64_t limit) {
  const Signs signs = has_signs(filter.category.value()) ? Signs::included : Signs::omitted;
  const auto sums = sum_up_objects(connection, filter, signs, kSumTimeLimit);
  if (!sums) return std::nullopt;
  Ranker ranker(ranking);
  const auto category = static_cast<std::size_t>(filter.category.value());
  for (const auto& [type, of_type] : *sums) {
    for (const auto& [id, by_category] : of_type) ranker.add(type, id, by_category[category]);
  }
  return ranker.slice(offset, limit);
}

std::optional<std::vector<ObjectSums>> most_rated_objects(db::Connection& connection,
                                                          const RatingFilter& filter,
                                                          const model::ObjectSet& hidden,
                                                          std::size_t limit) {
  const auto sums = sum_up_objects(connection, filter, Signs::omitted, kSumTimeLimit);
  if (!sums) return std::nullopt;
  return analytics::most_rated(*sums, hidden, limit);
}

std::optional<std::map<std::string, std::int64_t>> rated_objects(db::Connection& connection,
                                                                 const RatingFilter& filter) {
  const auto counts = count_ratings_of_objects(connection, filter, kSumTimeLimit);
  if (!counts) return std::nullopt;
  return count_rated(*counts);
}

std::vector<ObjectDay> days_of_objects(db::Connection& connection, std::span<const Object> objects,
                                       const DayRange& days) {
  std::vector<ObjectAndDay> places;
  for (const Object& object : objects) {
    for (base::Day day = days.first; day <= days.last; day += std::chrono::days(1)) {
      places.push_back({&object, day});
    }
  }
  std::vector<ObjectDay> found;
  kReadDaysOfObjects.query(
      connection, places,
      [](db::Statement& statement, const ObjectAndDay& place) {
        statement.bind(place.day, place.object->type, place.object->id);
      },
      [&](const db::Rows& row) {
        const Sums sums{row.integer(5), row.integer(6), row.integer(7), row.integer(8)};
        if (sums.total == 0) return;
        found.push_back({{row.unsigned_integer(1), row.text(2)},
                         static_cast<Category>(row.integer(3)),
                         row.day(4),
                         sums});
      });
  return found;
}

}  // namespace analytics
