#include "rollups/totals_reader.h"

namespace rollups {
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

TotalsReader::TotalsReader(const std::string& table_prefix)
    : read_totals_({"SELECT object_id, object_type, category, sum, " + bin_columns() +
                        ", last_rated_at, version FROM " + table_prefix +
                        "ratingd_totals FORCE INDEX (PRIMARY) WHERE (object_id, object_type) IN (",
                    "(?,?)", ",", ")"}),
      find_types_("SELECT DISTINCT object_type FROM " + table_prefix +
                  "ratingd_totals WHERE object_id = ? AND object_type <> 'post' AND " +
                  "bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9 + bin10 > 0"
                  " LIMIT 2") {}

std::map<model::Object, VersionedStats> TotalsReader::read(
    db::Connection& connection, std::span<const model::Object> objects) const {
  std::map<model::Object, VersionedStats> found;
  for (const model::Object& object : objects) found[object];
  read_totals_.query(
      connection, objects,
      [](db::Statement& statement, const model::Object& object, bool) {
        statement.bind(object.id).bind(object.type);
      },
      [&](const db::Rows& row) {
        const auto category = static_cast<std::size_t>(row.integer(3));
        VersionedStats& counted = found.at({row.unsigned_integer(1), row.text(2)});
        counted.stats.at(category) = totals_in(row);
        counted.versions.at(category) = row.unsigned_integer(kVersionColumn);
      });
  return found;
}

std::optional<std::string> TotalsReader::only_other_type(db::Connection& connection,
                                                         std::uint64_t object_id) const {
  db::Rows row = connection.prepare(find_types_).bind(object_id).query();
  if (!row.next()) return std::nullopt;
  std::string type = row.text(1);
  if (row.next()) return std::nullopt;
  return type;
}

}  // namespace rollups
