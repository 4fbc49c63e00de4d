#include <string>
#include <string_view>

#include "store/rating_rows.h"
#include "store/rollup_store.h"
#include "store/vote_batch.h"

namespace store {
namespace {

using Shape = db::BulkStatement::Shape;

std::string added(std::string_view column) {
  const std::string name(column);
  return name + " = " + name + " + VALUES(" + name + ")";
}

std::string added_bins() {
  std::string text;
  for (std::size_t i = 0; i < model::Totals::kBins; ++i) {
    if (i > 0) text += ", ";
    text += added("bin" + std::to_string(i));
  }
  return text;
}

std::string marks(std::size_t count) {
  std::string text = "(?";
  for (std::size_t i = 1; i < count; ++i) text += ",?";
  return text + ")";
}

Shape insert(const std::string& table, const std::string& columns, std::size_t count,
             const std::string& on_duplicate) {
  return {"INSERT INTO " + table + " (" + columns + ") VALUES ", marks(count), ",",
          " ON DUPLICATE KEY UPDATE " + on_duplicate};
}

Shape select(const std::string& head, const std::string& condition, const std::string& tail) {
  return {head + " WHERE ", condition, " OR ", tail};
}

Shape delete_of(const std::string& table, const std::string& voter) {
  return {"DELETE FROM " + table + " WHERE " + voter + " IN (", "?", ",", ")"};
}

Shape save_voters_text(const std::string& table) {
  return insert(table, "voter, last_day, last_rated_at, ratings", 4,
                "last_day = VALUES(last_day), last_rated_at = VALUES(last_rated_at),"
                " ratings = VALUES(ratings)");
}

}  // namespace

RollupStatements::RollupStatements(const std::string& table_prefix, const std::string& suffix)
    : add_totals(insert(
          table_prefix + "ratingd_totals" + suffix,
          "object_id, object_type, category, sum, " + bin_columns() + ", last_rated_at, version",
          6 + model::Totals::kBins,
          added("sum") + ", " + added_bins() +
              ", last_rated_at = GREATEST(last_rated_at, VALUES(last_rated_at)), " +
              added("version"))),
      add_daily(insert(table_prefix + "ratingd_daily" + suffix,
                       "day, category, object_type, object_id, total, sum, positive, negative", 8,
                       added("total") + ", " + added("sum") + ", " + added("positive") + ", " +
                           added("negative"))),
      add_site_daily(insert(table_prefix + "ratingd_site_daily" + suffix,
                            "day, category, object_type, slot, sum, " + bin_columns(),
                            5 + model::Totals::kBins, added("sum") + ", " + added_bins())),
      add_users(insert(table_prefix + "ratingd_users" + suffix,
                       "user_id, category, total, sum, first_rated_at, last_rated_at", 6,
                       added("total") + ", " + added("sum") +
                           ", first_rated_at = LEAST(first_rated_at, VALUES(first_rated_at))"
                           ", last_rated_at = GREATEST(last_rated_at, VALUES(last_rated_at))")),
      add_user_daily(insert(table_prefix + "ratingd_user_daily" + suffix,
                            "day, user_id, category, object_type, total, sum", 6,
                            added("total") + ", " + added("sum"))),
      add_reach(insert(table_prefix + "ratingd_reach" + suffix, "day, previous_day, slot, voters",
                       4, added("voters"))),
      read_last_days({"SELECT voter, last_day FROM " + table_prefix + "ratingd_voters" + suffix +
                          " FORCE INDEX (PRIMARY) WHERE voter IN (",
                      "?", ",", ")"}),
      save_last_days(insert(table_prefix + "ratingd_voters" + suffix, "voter, last_day", 2,
                            "ratings = CASE WHEN last_day = VALUES(last_day) THEN ratings ELSE 0"
                            " END, last_day = VALUES(last_day)")),
      delete_voters(delete_of(table_prefix + "ratingd_voters" + suffix, "voter")),
      delete_users(delete_of(table_prefix + "ratingd_users" + suffix, "user_id")),
      delete_user_daily(delete_of(table_prefix + "ratingd_user_daily" + suffix, "user_id")),
      refresh_last_rated_at(
          "UPDATE " + table_prefix + "ratingd_totals" + suffix +
          " SET last_rated_at = COALESCE((SELECT MAX(at) FROM ((SELECT rated_at AS at FROM " +
          table_prefix +
          "ratingd_votes FORCE INDEX (by_object) WHERE object_id = ? AND object_type = ?"
          " AND category = ? AND held = 0 ORDER BY rated_at DESC LIMIT 1) UNION ALL"
          " SELECT last_rated_at FROM " +
          table_prefix +
          "ratingd_balances WHERE object_id = ? AND object_type = ? AND category = ?) AS times),"
          " '1000-01-01')"
          " WHERE object_id = ? AND object_type = ? AND category = ? AND last_rated_at <= ?") {}

VoteStatements::VoteStatements(const std::string& table_prefix)
    : state(table_prefix),
      lock_voters(insert(table_prefix + "ratingd_voters", "voter, last_day", 2, "voter = voter")),
      read_voters({"SELECT voter, last_day, last_rated_at, ratings FROM " + table_prefix +
                       "ratingd_voters FORCE INDEX (PRIMARY) WHERE voter IN (",
                   "?", ",", ") FOR UPDATE"}),
      save_voters(save_voters_text(table_prefix + "ratingd_voters")),
      save_new_voters(save_voters_text(table_prefix + "ratingd_voters_new")),
      delete_unused_voters({"DELETE FROM " + table_prefix + "ratingd_voters WHERE voter IN (", "?",
                            ",",
                            ") AND last_day = '1000-01-01' AND NOT EXISTS (SELECT 1 FROM " +
                                table_prefix + "ratingd_votes WHERE " + table_prefix +
                                "ratingd_votes.voter = " + table_prefix + "ratingd_voters.voter)"}),
      read_votes(
          select("SELECT object_id, object_type, category, voter, value, rated_at, held FROM " +
                     table_prefix + "ratingd_votes FORCE INDEX (PRIMARY)",
                 "(object_id = ? AND object_type = ? AND category IN (0, 1, 2) AND voter = ?)",
                 " FOR UPDATE")),
      save_votes(
          insert(table_prefix + "ratingd_votes",
                 "object_id, object_type, category, voter, value, held, created_at, rated_at,"
                 " address, agent",
                 10,
                 "value = VALUES(value), held = VALUES(held), rated_at = VALUES(rated_at),"
                 " address = VALUES(address)")),
      read_held(select("SELECT object_id, object_type, category, voter, reasons, held_at FROM " +
                           table_prefix + "ratingd_held FORCE INDEX (PRIMARY)",
                       kOfRatingKey, "")),
      save_held(insert(table_prefix + "ratingd_held",
                       "object_id, object_type, category, voter, reasons, held_at", 6,
                       "reasons = VALUES(reasons)")),
      delete_held(select("DELETE FROM " + table_prefix + "ratingd_held", kOfRatingKey, "")),
      changes(table_prefix),
      counters(table_prefix),
      delete_vote("DELETE FROM " + table_prefix +
                  "ratingd_votes"
                  " WHERE object_id = ? AND object_type = ? AND category = ? AND voter = ?"),
      save_sequence("INSERT INTO " + table_prefix +
                    "ratingd_writers (writer, sequence) VALUES (?, ?)"
                    " ON DUPLICATE KEY UPDATE sequence = VALUES(sequence)"),
      lock_sequence("SELECT sequence FROM " + table_prefix +
                    "ratingd_writers WHERE writer = ? FOR UPDATE"),
      note_change("INSERT INTO " + table_prefix +
                  "ratingd_writers (writer, sequence) VALUES (0, 1)"
                  " ON DUPLICATE KEY UPDATE sequence = sequence + 1") {}

}  // namespace store
