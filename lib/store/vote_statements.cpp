#include <string>
#include <string_view>

#include "store/rating_rows.h"
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

}  // namespace

RollupStatements::RollupStatements(const std::string& table_prefix)
    : add_totals(insert(
          table_prefix + "ratingd_totals",
          "object_id, object_type, category, sum, " + bin_columns() + ", last_rated_at, version",
          6 + model::Totals::kBins,
          added("sum") + ", " + added_bins() +
              ", last_rated_at = GREATEST(last_rated_at, VALUES(last_rated_at)), " +
              added("version"))),
      add_daily(insert(table_prefix + "ratingd_daily",
                       "day, category, object_type, object_id, total, sum, positive, negative", 8,
                       added("total") + ", " + added("sum") + ", " + added("positive") + ", " +
                           added("negative"))),
      add_site_daily(insert(table_prefix + "ratingd_site_daily",
                            "day, category, object_type, slot, sum, " + bin_columns(),
                            5 + model::Totals::kBins, added("sum") + ", " + added_bins())),
      add_users(insert(table_prefix + "ratingd_users",
                       "user_id, category, total, sum, first_rated_at, last_rated_at", 6,
                       added("total") + ", " + added("sum") +
                           ", first_rated_at = LEAST(first_rated_at, VALUES(first_rated_at))"
                           ", last_rated_at = GREATEST(last_rated_at, VALUES(last_rated_at))")),
      add_user_daily(insert(table_prefix + "ratingd_user_daily",
                            "day, user_id, category, object_type, total, sum", 6,
                            added("total") + ", " + added("sum"))),
      add_reach(insert(table_prefix + "ratingd_reach", "day, previous_day, slot, voters", 4,
                       added("voters"))),
      refresh_last_rated_at(
          "UPDATE " + table_prefix +
          "ratingd_totals SET last_rated_at = COALESCE((SELECT MAX(at) FROM ((SELECT rated_at AS at"
          " FROM " +
          table_prefix +
          "ratingd_votes FORCE INDEX (by_object) WHERE object_id = ? AND object_type = ?"
          " AND category = ? AND held = 0 ORDER BY rated_at DESC LIMIT 1) UNION ALL"
          " SELECT last_rated_at FROM " +
          table_prefix +
          "ratingd_balances WHERE object_id = ? AND object_type = ? AND category = ?) AS times),"
          " '1000-01-01')"
          " WHERE object_id = ? AND object_type = ? AND category = ? AND last_rated_at <= ?") {}

VoteStatements::VoteStatements(const std::string& table_prefix)
    : claim_fingerprints(insert(table_prefix + "ratingd_fingerprints",
                                "fingerprint, voter, seen_at", 3, "fingerprint = fingerprint")),
      read_fingerprints({"SELECT fingerprint, voter, seen_at FROM " + table_prefix +
                             "ratingd_fingerprints FORCE INDEX (PRIMARY) WHERE fingerprint IN (",
                         "?", ",", ")"}),
      renew_fingerprints(insert(table_prefix + "ratingd_fingerprints",
                                "fingerprint, voter, seen_at", 3,
                                "voter = VALUES(voter), seen_at = VALUES(seen_at)")),
      lock_voters(insert(table_prefix + "ratingd_voters", "voter, last_day", 2, "voter = voter")),
      read_voters({"SELECT voter, last_day, last_rated_at, ratings FROM " + table_prefix +
                       "ratingd_voters FORCE INDEX (PRIMARY) WHERE voter IN (",
                   "?", ",", ") FOR UPDATE"}),
      save_voters(insert(table_prefix + "ratingd_voters", "voter, last_day, last_rated_at, ratings",
                         4,
                         "last_day = VALUES(last_day), last_rated_at = VALUES(last_rated_at),"
                         " ratings = VALUES(ratings)")),
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
      rollups(table_prefix),
      delete_vote("DELETE FROM " + table_prefix +
                  "ratingd_votes"
                  " WHERE object_id = ? AND object_type = ? AND category = ? AND voter = ?"),
      save_sequence("INSERT INTO " + table_prefix +
                    "ratingd_writers (writer, sequence) VALUES (?, ?)"
                    " ON DUPLICATE KEY UPDATE sequence = VALUES(sequence)"),
      lock_sequence("SELECT sequence FROM " + table_prefix +
                    "ratingd_writers WHERE writer = ? FOR UPDATE") {}

}  // namespace store
