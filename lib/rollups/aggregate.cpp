#include "rollups/aggregate.h"

#include "rollups/totals_reader.h"

namespace rollups {

std::string aggregate_columns() {
  return "object_id, object_type, category, day, source, sum, " + bin_columns() + ", last_rated_at";
}

Aggregate aggregate_in(const db::Rows& row) {
  Aggregate aggregate{{{row.unsigned_integer(1), row.text(2)},
                       static_cast<model::Category>(row.integer(3)),
                       row.day(4),
                       row.text(5)},
                      {}};
  unsigned column = 6;
  aggregate.sums.sum = row.integer(column++);
  for (std::int64_t& bin : aggregate.sums.bins) bin = row.integer(column++);
  if (aggregate.sums.total() > 0) aggregate.sums.last_rated_at = row.time(column);
  return aggregate;
}

std::vector<Aggregate> aggregates_of(db::Connection& connection, const std::string& table_prefix,
                                     const model::Object& object, model::Category category) {
  return connection
      .query("SELECT " + aggregate_columns() + " FROM " + table_prefix +
                 "ratingd_balances WHERE object_id = ? AND object_type = ? AND category = ?",
             object.id, object.type, category)
      .all(aggregate_in);
}

}  // namespace rollups
