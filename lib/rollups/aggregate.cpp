#include "rollups/aggregate.h"

namespace rollups {

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

std::vector<Aggregate> aggregates_of(db::Connection& connection, const model::Object& object,
                                     model::Category category) {
  return connection
      .query(std::string("SELECT ") + kAggregateColumns +
                 " FROM {prefix}ratingd_balances"
                 " WHERE object_id = ? AND object_type = ? AND category = ?",
             object.id, object.type, category)
      .all(aggregate_in);
}

}  // namespace rollups
