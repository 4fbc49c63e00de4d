#include "db/bulk_statement.h"
#include "store/rating_key_sql.h"
#include "transfer/bulk_ratings.h"

namespace transfer {
namespace {

using Shape = db::BulkStatement::Shape;

constexpr const char* kOfAggregateKey =
    "(object_id = ? AND object_type = ? AND category = ? AND day = ? AND source = ?)";

Shape of_voters(const std::string& statement) { return db::where_in(statement + " WHERE voter"); }

// "mark" for each of the bins.
std::string marks(const std::string& mark) {
  std::string text;
  for (std::size_t i = 0; i < model::Totals::kBins; ++i) text += mark + ",";
  return text;
}

std::string setting_bins() {
  std::string text;
  for (std::size_t i = 0; i < model::Totals::kBins; ++i) {
    const std::string bin = "bin" + std::to_string(i);
    text += bin + " = VALUES(" + bin + "), ";
  }
  return text;
}

Shape insert_votes_text(const std::string& prefix, const std::string& on_duplicate) {
  return db::insert_or_update(prefix + "ratingd_votes",
                              "object_id, object_type, category, voter, value, held, created_at,"
                              " rated_at, address",
                              9, on_duplicate);
}

std::string select_votes(const std::string& prefix) {
  return "SELECT object_id, object_type, category, voter, value, created_at, rated_at, held FROM " +
         prefix + "ratingd_votes";
}

}  // namespace

BulkStatements::BulkStatements(const std::string& table_prefix)
    : lock_votes(db::where_any(select_votes(table_prefix) + " FORCE INDEX (PRIMARY)",
                               store::kOfRatingKey, " FOR UPDATE")),
      save_votes(insert_votes_text(table_prefix,
                                   "value = VALUES(value),"
                                   " created_at = LEAST(created_at, VALUES(created_at)),"
                                   " rated_at = VALUES(rated_at), address = VALUES(address)")),
      insert_votes(insert_votes_text(table_prefix, "voter = VALUES(voter)")),
      // Only this form of DELETE can name its index; choosing an index doubles its time.
      delete_votes(db::where_any(
          "DELETE votes FROM " + table_prefix + "ratingd_votes AS votes FORCE INDEX (PRIMARY)",
          store::kOfRatingKey)),
      delete_votes_of_voters(of_voters("DELETE votes FROM " + table_prefix +
                                       "ratingd_votes AS votes FORCE INDEX (by_voter)")),
      read_votes_of_voters(of_voters(select_votes(table_prefix) + " FORCE INDEX (by_voter)")),
      find_voters(of_voters("SELECT DISTINCT voter FROM " + table_prefix +
                            "ratingd_votes FORCE INDEX (by_voter)")),
      make_aggregates({"INSERT INTO " + table_prefix + "ratingd_balances (" +
                           rollups::aggregate_columns() + ") VALUES ",
                       "(?,?,?,?,?,0," + marks("0") + "'1000-01-01')", ",",
                       " ON DUPLICATE KEY UPDATE sum = sum"}),
      lock_aggregates(db::where_any("SELECT " + rollups::aggregate_columns() + " FROM " +
                                        table_prefix + "ratingd_balances FORCE INDEX (PRIMARY)",
                                    kOfAggregateKey, " FOR UPDATE")),
      save_aggregates({"INSERT INTO " + table_prefix + "ratingd_balances (" +
                           rollups::aggregate_columns() + ") VALUES ",
                       "(?,?,?,?,?,?," + marks("?") + "?)", ",",
                       " ON DUPLICATE KEY UPDATE sum = VALUES(sum), " + setting_bins() +
                           "last_rated_at = VALUES(last_rated_at)"}),
      delete_aggregates(
          db::where_any("DELETE FROM " + table_prefix + "ratingd_balances", kOfAggregateKey)),
      erase_addresses(
          db::where_any("UPDATE " + table_prefix +
                            "ratingd_votes FORCE INDEX (PRIMARY) SET address = '', agent = 0",
                        "(object_id = ? AND object_type = ? AND category = ? AND voter = ?"
                        " AND rated_at < ? AND (address <> '' OR agent <> 0))")),
      find_any("SELECT 1 FROM " + table_prefix + "ratingd_votes LIMIT 1"),
      find_oldest("SELECT object_id, object_type, category, voter FROM " + table_prefix +
                  "ratingd_votes FORCE INDEX (by_time) WHERE rated_at < ? AND held = 0"
                  " ORDER BY rated_at LIMIT " +
                  std::to_string(Slices::kFirst)),
      find_vote_of_day("SELECT 1 FROM " + table_prefix +
                       "ratingd_votes FORCE INDEX (by_object) WHERE object_id = ? AND"
                       " object_type = ? AND category = ? AND rated_at >= ? AND rated_at < ?"
                       " AND held = 0 LIMIT 1") {}

}  // namespace transfer
