#include "store/object_analytics.h"

#include <algorithm>

#include "model/rating.h"

namespace store {
namespace {

using model::Category;
using model::Object;

// Rows of object_id, object_type, total, sum, positive, negative: one or more for each object.
std::string source(const RatingFilter& filter, const std::string& prefix) {
  if (!filter.is_all) {
    return "(SELECT object_id, object_type, total, sum, positive, negative FROM " + prefix +
           "ratingd_daily WHERE day BETWEEN ? AND ?" + kind_condition(filter) + ")";
  }
  return "(SELECT object_id, object_type, bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + "
         "bin8 + bin9 + bin10 AS total, sum, bin10 AS positive, bin0 AS negative FROM " +
         prefix + "ratingd_totals WHERE TRUE" + kind_condition(filter) + ")";
}

// Wilson's lower bound, as ratings::wilson has it: of "successes" in thousandths among "trials".
std::string wilson(const std::string& successes, const std::string& trials) {
  // z and z squared, as doubles.
  const std::string z = "1.959963984540054e0";
  const std::string square = "(" + z + " * " + z + ")";
  const std::string share = "(" + successes + " / 1e3 / " + trials + ")";
  return "IF(" + trials + " = 0 OR " + successes + " <= 0, 0, ROUND((" + share + " + " + square +
         " / (2 * " + trials + ") - " + z + " * SQRT((" + share + " * (1 - " + share + ") + " +
         square + " / (4 * " + trials + ")) / " + trials + ")) / (1 + " + square + " / " + trials +
         "), 12))";
}

// What is ordered by, over the columns of an object's sums. Quotients are decimals with so many
// digits that only equal ones look equal.
std::string expression(const Ranking& ranking) {
  switch (ranking.order_by) {
    case Metric::average:
      return "CAST(sum AS DECIMAL(40, 16)) / total";
    case Metric::wilson:
      if (ranking.is_scale) return wilson("sum", "total");
      if (ranking.is_bipolar) return wilson("(positive * 1000)", "(positive + negative)");
      return wilson("(positive * 1000)", "total");
    case Metric::positive:
      return "positive";
    case Metric::negative:
      return "negative";
    case Metric::score:
      return "positive - negative";
    case Metric::total:
      return "total";
    case Metric::bayesian:
      break;
  }
  // Times the number of the site's ratings, which is the same for all.
  return "(CAST(sum AS DECIMAL(40, 16)) * ? + ?) / (total + ?)";
}

std::string id_list(const std::vector<std::uint64_t>& ids) {
  std::string list;
  for (const std::uint64_t id : ids) {
    if (!list.empty()) list += ',';
    list += std::to_string(id);
  }
  return list;
}

void bind_source(db::Statement& statement, const RatingFilter& filter) {
  if (!filter.is_all) statement.bind(filter.days.first).bind(filter.days.last);
  bind_kind(statement, filter);
}

struct Place {
  const Object* object;
  base::Day day;
};

}  // namespace

ObjectAnalytics::ObjectAnalytics(const std::string& table_prefix)
    : table_prefix_(table_prefix),
      read_days_({"SELECT object_id, object_type, category, day, total, sum, positive, negative"
                  " FROM " +
                      table_prefix + "ratingd_daily FORCE INDEX (PRIMARY) WHERE ",
                  "(category IN (0, 1, 2) AND day = ? AND object_type = ? AND object_id = ?)",
                  " OR ", ""}) {}

Slice<RankedObject> ObjectAnalytics::top(db::Connection& connection, const RatingFilter& filter,
                                         const Ranking& ranking, std::int64_t offset,
                                         std::int64_t limit) const {
  const bool is_bayesian = ranking.order_by == Metric::bayesian;
  db::Statement& statement = connection.prepare(
      "SELECT object_id, object_type, total, sum, positive, negative, COUNT(*) OVER () FROM ("
      "SELECT object_id, object_type, CAST(SUM(total) AS SIGNED) AS total,"
      " CAST(SUM(sum) AS SIGNED) AS sum, CAST(SUM(positive) AS SIGNED) AS positive,"
      " CAST(SUM(negative) AS SIGNED) AS negative FROM " +
      source(filter, table_prefix_) +
      " AS rows_of_objects GROUP BY object_type, object_id) AS objects"
      " WHERE total > 0 AND total >= ? AND FIND_IN_SET(object_id, ?) = 0 ORDER BY " +
      expression(ranking) + (ranking.ascending ? " ASC" : " DESC") +
      ", total DESC, object_type, object_id LIMIT ? OFFSET ?");
  bind_source(statement, filter);
  statement.bind(ranking.least_total).bind(id_list(ranking.exclude));
  if (is_bayesian) {
    const bool has_mean = ranking.prior_total > 0;
    statement.bind(has_mean ? ranking.prior_total : 1)
        .bind(ranking.prior_weight * (has_mean ? ranking.prior_sum : 0))
        .bind(ranking.prior_weight);
  }
  statement.bind(limit).bind(offset);
  Slice<RankedObject> slice;
  for (db::Rows row = statement.query(); row.next();) {
    slice.items.push_back({{row.unsigned_integer(1), row.text(2)},
                           {row.integer(3), row.integer(4), row.integer(5), row.integer(6)}});
    slice.total = row.integer(7);
  }
  return slice;
}

std::vector<ObjectDay> ObjectAnalytics::days(db::Connection& connection,
                                             std::span<const Object> objects,
                                             const DayRange& days) const {
  std::vector<Place> places;
  for (const Object& object : objects) {
    for (base::Day day = days.first; day <= days.last; day += std::chrono::days(1)) {
      places.push_back({&object, day});
    }
  }
  std::vector<ObjectDay> found;
  read_days_.query(
      connection, std::span<const Place>(places),
      [](db::Statement& statement, const Place& place, bool) {
        statement.bind(place.day).bind(place.object->type).bind(place.object->id);
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

}  // namespace store
