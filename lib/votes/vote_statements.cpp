#include <string>

#include "db/bulk_statement.h"
#include "store/rating_key_sql.h"
#include "votes/vote_batch.h"

namespace votes {
namespace {

using Shape = db::BulkStatement::Shape;

Shape select(const std::string& head, const std::string& condition, const std::string& tail) {
  return {head + " WHERE ", condition, " OR ", tail};
}

constexpr const char* kVoterColumns = "voter, last_day, last_rated_at, ratings";

Shape save_voters_text(const std::string& table) {
  return db::insert_or_update(table, kVoterColumns, 4,
                              "last_day = VALUES(last_day), last_rated_at = VALUES(last_rated_at),"
                              " ratings = VALUES(ratings)");
}

}  // namespace

VoteStatements::VoteStatements(const std::string& prefix)
    : state(prefix),
      writers(prefix),
      lock_voters(
          db::insert_or_update(prefix + "ratingd_voters", kVoterColumns, 4, "voter = voter")),
      read_voters({"SELECT voter, last_day, last_rated_at, ratings FROM " + prefix +
                       "ratingd_voters FORCE INDEX (PRIMARY) WHERE voter IN (",
                   "?", ",", ") FOR UPDATE"}),
      save_voters(save_voters_text(prefix + "ratingd_voters")),
      save_new_voters(save_voters_text(prefix + "ratingd_voters_new")),
      delete_unused_voters({"DELETE FROM " + prefix + "ratingd_voters WHERE voter IN (", "?", ",",
                            ") AND last_day = '1000-01-01' AND NOT EXISTS (SELECT 1 FROM " +
                                prefix + "ratingd_votes WHERE " + prefix +
                                "ratingd_votes.voter = " + prefix + "ratingd_voters.voter)"}),
      read_votes(
          select("SELECT object_id, object_type, category, voter, value, rated_at, held FROM " +
                     prefix + "ratingd_votes FORCE INDEX (PRIMARY)",
                 "(object_id = ? AND object_type = ? AND category IN (0, 1, 2) AND voter = ?)",
                 " FOR UPDATE")),
      save_votes(db::insert_or_update(
          prefix + "ratingd_votes",
          "object_id, object_type, category, voter, value, held, created_at, rated_at,"
          " address, agent",
          10,
          "value = VALUES(value), held = VALUES(held), rated_at = VALUES(rated_at),"
          " address = VALUES(address)")),
      read_held(select("SELECT object_id, object_type, category, voter, reasons, held_at FROM " +
                           prefix + "ratingd_held FORCE INDEX (PRIMARY)",
                       store::kOfRatingKey, "")),
      save_held(db::insert_or_update(prefix + "ratingd_held",
                                     "object_id, object_type, category, voter, reasons, held_at", 6,
                                     "reasons = VALUES(reasons)")),
      delete_held(select("DELETE FROM " + prefix + "ratingd_held", store::kOfRatingKey, "")),
      table_prefix(prefix),
      totals(prefix),
      counters(prefix),
      visitors(prefix),
      delete_vote("DELETE FROM " + prefix +
                  "ratingd_votes"
                  " WHERE object_id = ? AND object_type = ? AND category = ? AND voter = ?") {}

}  // namespace votes
