#include "store/rollup_store.h"

namespace store {
namespace {

constexpr unsigned kVersionColumn = 6 + model::Totals::kBins;

// From a row of object_id, object_type, category, sum, eleven bins, last_rated_at, version.
model::Totals totals_in(const db::Rows& row) {
  model::Totals totals;
  unsigned column = 4;
  totals.sum = row.integer(column++);
  for (std::int64_t& bin : totals.bins) bin = row.integer(column++);
  if (totals.total() > 0) totals.last_rated_at = row.time(column);
  return totals;
}

}  // namespace

std::string bin_columns() {
  std::string columns;
  for (std::size_t i = 0; i < model::Totals::kBins; ++i) {
    if (i > 0) columns += ", ";
    columns += "bin" + std::to_string(i);
  }
  return columns;
}

RollupStore::RollupStore(const std::string& table_prefix)
    : read_totals_({"SELECT object_id, object_type, category, sum, " + bin_columns() +
                        ", last_rated_at, version FROM " + table_prefix +
                        "ratingd_totals FORCE INDEX (PRIMARY) WHERE (object_id, object_type) IN (",
                    "(?,?)", ",", ")"}) {}

std::map<model::Object, Counted> RollupStore::read(db::Connection& connection,
                                                   std::span<const model::Object> objects) const {
  std::map<model::Object, Counted> found;
  for (const model::Object& object : objects) found[object];
  read_totals_.query(
      connection, objects,
      [](db::Statement& statement, const model::Object& object, bool) {
        statement.bind(object.id).bind(object.type);
      },
      [&](const db::Rows& row) {
        const auto category = static_cast<std::size_t>(row.integer(3));
        Counted& counted = found.at({row.unsigned_integer(1), row.text(2)});
        counted.stats.at(category) = totals_in(row);
        counted.versions.at(category) = row.unsigned_integer(kVersionColumn);
      });
  return found;
}

}  // namespace store
