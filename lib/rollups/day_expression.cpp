#include "rollups/day_expression.h"

#include "base/timestamp.h"

namespace rollups {
namespace {

std::string day_of_rating(const base::Zone& zone, base::Time first, base::Time last) {
  const auto shifted = [](const base::Zone::Stretch& stretch) {
    return "rated_at + INTERVAL " + std::to_string(stretch.offset.count()) + " SECOND";
  };
  std::string text = "DATE(CASE";
  base::Zone::Stretch stretch = zone.stretch_at(first);
  while (stretch.end <= last) {
    text += " WHEN rated_at < '" + base::to_datetime(stretch.end) + "' THEN " + shifted(stretch);
    stretch = zone.stretch_at(stretch.end);
  }
  // A CASE needs at least one WHEN.
  return text + " WHEN TRUE THEN " + shifted(stretch) + " END)";
}

}  // namespace

std::string day_expression(db::Connection& connection, const std::string& table_prefix,
                           const base::Zone& zone) {
  db::Rows row = connection.query("SELECT MIN(rated_at), MAX(rated_at) FROM " + table_prefix +
                                  "ratingd_votes");
  if (!row.next() || row.is_null(1)) return "DATE(rated_at)";
  return day_of_rating(zone, row.time(1), row.time(2) + std::chrono::years(1));
}

}  // namespace rollups
