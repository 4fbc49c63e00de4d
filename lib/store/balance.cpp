#include "store/balance.h"

#include "store/rating_rows.h"
#include "store/rollup_store.h"

namespace store {

std::string balance_columns() {
  return "object_id, object_type, category, day, source, sum, " + bin_columns() + ", last_rated_at";
}

Balance balance_in(const db::Rows& row) {
  Balance balance{{{row.unsigned_integer(1), row.text(2)},
                   static_cast<model::Category>(row.integer(3)),
                   row.day(4),
                   row.text(5)},
                  {}};
  unsigned column = 6;
  balance.sums.sum = row.integer(column++);
  for (std::int64_t& bin : balance.sums.bins) bin = row.integer(column++);
  if (balance.sums.total() > 0) balance.sums.last_rated_at = row.time(column);
  return balance;
}

std::vector<Balance> balances_of(db::Connection& connection, const std::string& table_prefix,
                                 const model::Object& object, model::Category category) {
  std::vector<Balance> balances;
  db::Rows row = connection
                     .prepare("SELECT " + balance_columns() + " FROM " + table_prefix +
                              "ratingd_balances WHERE object_id = ? AND object_type = ?"
                              " AND category = ?")
                     .bind(object.id)
                     .bind(object.type)
                     .bind(number_of(category))
                     .query();
  while (row.next()) balances.push_back(balance_in(row));
  return balances;
}

}  // namespace store
