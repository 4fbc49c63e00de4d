#include "rollups/totals_reader.h"

#include "base/text.h"
#include "db/bulk_statement.h"
#include "rollups/rollup.h"

namespace rollups {
namespace {

constexpr unsigned kVersionColumn = 6 + model::Totals::kBins;

const std::string& select_totals() {
  static const std::string kText = "SELECT " + totals_rollup().columns() +
                                   " FROM {prefix}ratingd_totals FORCE INDEX (PRIMARY) WHERE ";
  return kText;
}

StatsOf zeros_of(std::span<const model::Object> objects) {
  StatsOf stats;
  for (const model::Object& object : objects) stats[object];
  return stats;
}

void bind_listed_object(db::Statement& statement, const model::Object& object) {
  statement.bind(object.id, object.type);
}

void add_row(const db::Rows& row, StatsOf& stats) {
  const auto category = static_cast<std::size_t>(row.integer(3));
  VersionedStats& counted = stats.at({row.unsigned_integer(1), row.text(2)});
  counted.stats.at(category) = totals_in(row, 4);
  counted.versions.at(category) = row.unsigned_integer(kVersionColumn);
}

}  // namespace

StatsOf read_totals(db::Connection& connection, std::span<const model::Object> objects) {
  StatsOf stats = zeros_of(objects);
  static const std::string kHead = select_totals() + "(object_id, object_type) IN (";
  db::BulkStatement({kHead, "(?,?)", ",", ")"})
      .query(connection, objects, bind_listed_object,
             [&](const db::Rows& row) { add_row(row, stats); });
  return stats;
}

// Objects with the same types, such as objects that were rated with the same facets, share a
// condition: a list of types and a list of ids cost the server less than a pair for each object.
void add_read_totals(db::Connection& connection, std::span<const model::Object> objects) {
  std::map<std::uint64_t, std::vector<std::string_view>> types_of_id;
  for (const model::Object& object : objects) types_of_id[object.id].push_back(object.type);
  std::map<std::vector<std::string_view>, std::vector<std::uint64_t>> ids_of_types;
  for (auto& [id, types] : types_of_id) ids_of_types[types].push_back(id);
  const auto condition = [](const auto& group) {
    const auto& [types, ids] = group;
    return "(object_type IN " + db::marks(types.size()) + " AND object_id IN " +
           db::marks(ids.size()) + ")";
  };
  db::Statement& statement =
      connection.prepare(select_totals() + base::joined(ids_of_types, " OR ", condition));
  for (const auto& [types, ids] : ids_of_types) {
    for (const std::string_view type : types) statement.bind(type);
    for (const std::uint64_t id : ids) statement.bind(id);
  }
  statement.execute();
}

StatsOf stats_in_rows(db::Rows& rows, std::span<const model::Object> objects) {
  StatsOf stats = zeros_of(objects);
  while (rows.next()) add_row(rows, stats);
  return stats;
}

std::optional<std::string> only_other_type(db::Connection& connection, std::uint64_t object_id,
                                           const model::FacetNames& facets) {
  std::string text =
      "SELECT DISTINCT object_type FROM {prefix}ratingd_totals WHERE object_id = ?"
      " AND object_type <> 'post' AND " +
      std::string(kTotalOfBins) + " > 0";
  if (!facets.empty()) {
    text += " AND (object_type NOT LIKE '_%:%' OR SUBSTRING_INDEX(object_type, ':', -1) NOT IN (?";
    for (std::size_t i = 1; i < facets.size(); ++i) text += ",?";
    text += "))";
  }
  db::Statement& statement = connection.prepare(text + " LIMIT 2");
  statement.bind(object_id);
  for (const std::string& facet : facets) statement.bind(facet);
  db::Rows row = statement.query();
  if (!row.next()) return std::nullopt;
  std::string type = row.text(1);
  if (row.next()) return std::nullopt;
  return type;
}

}  // namespace rollups
