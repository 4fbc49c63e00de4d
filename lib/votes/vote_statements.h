#pragma once

#include <string_view>

#include "db/bulk_statement.h"
#include "store/rating_key_sql.h"

// The SQL statements for a batch of votes. Other code that changes votes also uses the statements
// for held ratings.
namespace votes {

inline constexpr db::BulkStatement kLockVoters(
    {"INSERT INTO {prefix}ratingd_voters (voter, last_day, last_rated_at, ratings) VALUES ",
     "(?,?,?,?)", ",", " ON DUPLICATE KEY UPDATE voter = voter"});
inline constexpr db::BulkStatement kReadVoters(
    {"SELECT voter, last_day, last_rated_at, ratings FROM {prefix}ratingd_voters"
     " FORCE INDEX (PRIMARY) WHERE voter IN (",
     "?", ",", ") FOR UPDATE"});
inline constexpr db::BulkStatement kSaveVoters(
    {"INSERT INTO {prefix}ratingd_voters (voter, last_day, last_rated_at, ratings) VALUES ",
     "(?,?,?,?)", ",",
     " ON DUPLICATE KEY UPDATE last_day = VALUES(last_day), last_rated_at = VALUES(last_rated_at),"
     " ratings = VALUES(ratings)"});
inline constexpr db::BulkStatement kDeleteUnusedVoters(
    {"DELETE unused FROM {prefix}ratingd_voters AS unused FORCE INDEX (PRIMARY) WHERE voter IN (",
     "?", ",",
     ") AND last_day = '1000-01-01' AND NOT EXISTS (SELECT 1 FROM {prefix}ratingd_votes AS votes"
     " WHERE votes.voter = unused.voter)"});

inline constexpr db::BulkStatement kReadVotes(
    {"SELECT object_id, object_type, category, voter, value, rated_at, held"
     " FROM {prefix}ratingd_votes FORCE INDEX (PRIMARY) WHERE ",
     "(object_id = ? AND object_type = ? AND category IN (0, 1, 2) AND voter = ?)", " OR ",
     " FOR UPDATE"});
inline constexpr db::BulkStatement kSaveVotes(
    {"INSERT INTO {prefix}ratingd_votes (object_id, object_type, category, voter, value, held,"
     " created_at, rated_at, address, agent) VALUES ",
     "(?,?,?,?,?,?,?,?,?,?)", ",",
     " ON DUPLICATE KEY UPDATE value = VALUES(value), held = VALUES(held),"
     " rated_at = VALUES(rated_at), address = VALUES(address)"});
inline constexpr std::string_view kDeleteVote =
    "DELETE FROM {prefix}ratingd_votes"
    " WHERE object_id = ? AND object_type = ? AND category = ? AND voter = ?";

inline constexpr db::BulkStatement kReadHeld(
    {"SELECT object_id, object_type, category, voter, reasons, held_at"
     " FROM {prefix}ratingd_held FORCE INDEX (PRIMARY) WHERE ",
     store::kOfRatingKey, " OR ", ""});
inline constexpr db::BulkStatement kSaveHeld(
    {"INSERT INTO {prefix}ratingd_held (object_id, object_type, category, voter, reasons, held_at)"
     " VALUES ",
     "(?,?,?,?,?,?)", ",", " ON DUPLICATE KEY UPDATE reasons = VALUES(reasons)"});
inline constexpr db::BulkStatement kDeleteHeld({"DELETE FROM {prefix}ratingd_held WHERE ",
                                                store::kOfRatingKey, " OR ", ""});

}  // namespace votes
