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

TotalsReader::StatsOf zeros_of(std::span<const model::Object> objects) {
  TotalsReader::StatsOf stats;
  for (const model::Object& object : objects) stats[object];
  return stats;
}

void bind_listed_object(db::Statement& statement, const model::Object& object) {
  statement.bind(object.id, object.type);
}

void add_row(const db::Rows& row, TotalsReader::StatsOf& stats) {
  const auto category = static_cast<std::size_t>(row.integer(3));
  VersionedStats& counted = stats.at({row.unsigned_integer(1), row.text(2)});
  counted.stats.at(category) = totals_in(row);
  counted.versions.at(category) = row.unsigned_integer(kVersionColumn);
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
    : head_("SELECT object_id, object_type, category, sum, " + bin_columns() +
            ", last_rated_at, version FROM " + table_prefix +
            "ratingd_totals FORCE INDEX (PRIMARY) WHERE "),
      read_totals_({head_ + "(object_id, object_type) IN (", "(?,?)", ",", ")"}),
      find_types_("SELECT DISTINCT object_type FROM " + table_prefix +
                  "ratingd_totals WHERE object_id = ? AND object_type <> 'post' AND " +
                  kTotalOfBins + " > 0") {}

TotalsReader::StatsOf TotalsReader::read(db::Connection& connection,
                                         std::span<const model::Object> objects) const {
  StatsOf stats = zeros_of(objects);
  read_totals_.query(connection, objects, bind_listed_object,
                     [&](const db::Rows& row) { add_row(row, stats); });
  return stats;
}

void TotalsReader::add_read(db::Connection& connection,
                            std::span<const model::Object> objects) const {
  std::map<std::string_view, std::vector<std::uint64_t>> ids;
  for (const model::Object& object : objects) ids[object.type].push_back(object.id);
  std::string text = head_;
  for (const auto& [type, ids_of_type] : ids) {
    text += text.size() == head_.size() ? "" : " OR ";
    text += "(object_type = ? AND object_id IN (?";
    for (std::size_t i = 1; i < ids_of_type.size(); ++i) text += ",?";
    text += "))";
  }
  db::Statement& statement = connection.prepare(text);
  for (const auto& [type, ids_of_type] : ids) {
    statement.bind(type);
    for (const std::uint64_t id : ids_of_type) statement.bind(id);
  }
  statement.execute();
}

TotalsReader::StatsOf TotalsReader::stats_in(db::Rows& rows,
                                             std::span<const model::Object> objects) {
  StatsOf stats = zeros_of(objects);
  while (rows.next()) add_row(rows, stats);
  return stats;
}

std::optional<std::string> TotalsReader::only_other_type(db::Connection& connection,
                                                         std::uint64_t object_id,
                                                         const model::FacetNames& facets) const {
  std::string text = find_types_;
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
