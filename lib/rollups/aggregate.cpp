#include "rollups/aggregate.h"

#include "rollups/rollup.h"

namespace rollups {

Aggregate aggregate_in(const db::Rows& row) {
  return {{{row.unsigned_integer(1), row.text(2)},
           static_cast<model::Category>(row.integer(3)),
           row.day(4),
           row.text(5)},
          totals_in(row, 6)};
}

model::Totals totals_in(const db::Rows& row, unsigned column) {
  model::Totals totals;
  totals.sum = row.integer(column++);
  for (std::int64_t& bin : totals.bins) bin = row.integer(column++);
  if (totals.total() > 0) totals.last_rated_at = row.time(column);
  return totals;
}

std::vector<Aggregate> aggregates_of(db::Connection& connection, const model::Object& object,
                                     model::Category category) {
  return connection
      .query("SELECT " + aggregates_table().columns() +
                 " FROM {prefix}ratingd_balances"
                 " WHERE object_id = ? AND object_type = ? AND category = ?",
             object.id, object.type, category)
      .all(aggregate_in);
}

}  // namespace rollups
