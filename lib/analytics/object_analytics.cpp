#include "analytics/object_analytics.h"

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
