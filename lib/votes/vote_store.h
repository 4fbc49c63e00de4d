#pragma once

#include <vector>

#include "db/connection.h"
#include "model/rating.h"
#include "store/rating_key_sql.h"

// Functions that read one voter's ratings. Errors: as db::Connection.
namespace votes {

// Returns the voter's ratings, the newest first. Skips "offset" ratings and returns at most "limit"
// ratings.
[[nodiscard]] inline std::vector<model::Rating> ratings_of(db::Connection& connection,
                                                           model::VoterId voter,
                                                           std::int64_t offset,
                                                           std::int64_t limit) {
  return connection
      .query(
          "SELECT object_id, object_type, category, voter, value, rated_at"
          " FROM {prefix}ratingd_votes WHERE voter = ?"
          " ORDER BY rated_at DESC, object_id DESC, object_type DESC, category DESC"
          " LIMIT ? OFFSET ?",
          voter, limit, offset)
      .all(store::rating_in);
}

[[nodiscard]] inline std::int64_t count_ratings_of(db::Connection& connection,
                                                   model::VoterId voter) {
  return connection.query("SELECT COUNT(*) FROM {prefix}ratingd_votes WHERE voter = ?", voter)
      .number();
}

}  // namespace votes
