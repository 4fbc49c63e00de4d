#include <string>

#include "db/bulk_shapes.h"
#include "rollups/rollup_changes.h"
#include "rollups/totals_reader.h"

namespace rollups {
namespace {

std::string added_bins() {
  std::string text;
  for (std::size_t i = 0; i < model::Totals::kBins; ++i) {
    if (i > 0) text += ", ";
    text += db::added("bin" + std::to_string(i));
  }
  return text;
}

// Sets the time of the last rating of totals that may have lost it.
db::BulkStatement::Shape refresh_text(const std::string& prefix, const std::string& totals) {
  const std::string never = "CAST('1000-01-01' AS DATETIME(6))";
  const auto of_totals = [](const std::string& alias) {
    std::string text;
    for (const std::string column : {"object_id", "object_type", "category"}) {
      text += (text.empty() ? "" : " AND ") + alias + "." + column + " = changed." + column;
    }
    return text;
  };
  return {
      "UPDATE " + totals +
          " AS changed FORCE INDEX (PRIMARY) SET last_rated_at = GREATEST(COALESCE((SELECT"
          " voted.rated_at FROM " +
          prefix + "ratingd_votes AS voted FORCE INDEX (by_object) WHERE " + of_totals("voted") +
          " AND voted.held = 0 ORDER BY voted.rated_at DESC LIMIT 1), " + never +
          "), COALESCE((SELECT MAX(summed.last_rated_at) FROM " + prefix +
          "ratingd_balances AS summed WHERE " + of_totals("summed") + "), " + never + ")) WHERE ",
      "(object_id = ? AND object_type = ? AND category = ? AND last_rated_at <= ?)", " OR ", ""};
}

}  // namespace

RollupStatements::RollupStatements(const std::string& table_prefix, const std::string& suffix)
    : add_totals(db::insert_or_update(
          table_prefix + "ratingd_totals" + suffix,
          "object_id, object_type, category, sum, " + bin_columns() + ", last_rated_at, version",
          6 + model::Totals::kBins,
          db::added("sum") + ", " + added_bins() +
              ", last_rated_at = GREATEST(last_rated_at, VALUES(last_rated_at)), " +
              db::added("version"))),
      add_daily(db::insert_or_update(
          table_prefix + "ratingd_daily" + suffix,
          "day, category, object_type, object_id, total, sum, positive, negative", 8,
          db::added("total") + ", " + db::added("sum") + ", " + db::added("positive") + ", " +
              db::added("negative"))),
      add_site_daily(db::insert_or_update(table_prefix + "ratingd_site_daily" + suffix,
                                          "day, category, object_type, slot, sum, " + bin_columns(),
                                          5 + model::Totals::kBins,
                                          db::added("sum") + ", " + added_bins())),
      add_users(db::insert_or_update(
          table_prefix + "ratingd_users" + suffix,
          "user_id, category, total, sum, first_rated_at, last_rated_at", 6,
          db::added("total") + ", " + db::added("sum") +
              ", first_rated_at = LEAST(first_rated_at, VALUES(first_rated_at))"
              ", last_rated_at = GREATEST(last_rated_at, VALUES(last_rated_at))")),
      add_user_daily(db::insert_or_update(table_prefix + "ratingd_user_daily" + suffix,
                                          "day, user_id, category, object_type, total, sum", 6,
                                          db::added("total") + ", " + db::added("sum"))),
      add_activity_pairs(db::insert_or_update(table_prefix + "ratingd_reach" + suffix,
                                              "day, previous_day, slot, voters", 4,
                                              db::added("voters"))),
      read_last_days({"SELECT voter, last_day FROM " + table_prefix + "ratingd_voters" + suffix +
                          " FORCE INDEX (PRIMARY) WHERE voter IN (",
                      "?", ",", ")"}),
      save_last_days(
          db::insert_or_update(table_prefix + "ratingd_voters" + suffix, "voter, last_day", 2,
                               "ratings = CASE WHEN last_day = VALUES(last_day) THEN ratings ELSE 0"
                               " END, last_day = VALUES(last_day)")),
      delete_voters(db::delete_where_in(table_prefix + "ratingd_voters" + suffix, "voter")),
      delete_users(db::delete_where_in(table_prefix + "ratingd_users" + suffix, "user_id")),
      delete_user_daily(
          db::delete_where_in(table_prefix + "ratingd_user_daily" + suffix, "user_id")),
      refresh_last_rated_at(refresh_text(table_prefix, table_prefix + "ratingd_totals" + suffix)) {}

}  // namespace rollups
