#pragma once

#include <string>
#include <vector>

#include "db/connection.h"
#include "model/rating.h"
#include "store/rating_key_sql.h"
#include "votes/counters.h"

namespace votes {

// Reads the ratings of one voter, and deletes expired counters. Safe for concurrent use, each
// caller with its own connection. Errors of all functions: as db::Connection.
class VoteStore {
 public:
  explicit VoteStore(const std::string& table_prefix)
      : read_ratings_("SELECT object_id, object_type, category, voter, value, rated_at FROM " +
                      table_prefix +
                      "ratingd_votes WHERE voter = ?"
                      " ORDER BY rated_at DESC, object_id DESC, object_type DESC, category DESC"
                      " LIMIT ? OFFSET ?"),
        count_ratings_("SELECT COUNT(*) FROM " + table_prefix + "ratingd_votes WHERE voter = ?"),
        delete_counters_("DELETE FROM " + table_prefix +
                         "ratingd_counters WHERE counter < ? ORDER BY counter LIMIT 500") {}

  // The voter's ratings, newest first: "limit" of them, after skipping "offset".
  [[nodiscard]] std::vector<model::Rating> ratings_of(db::Connection& connection,
                                                      model::VoterId voter, std::int64_t offset,
                                                      std::int64_t limit) const {
    return connection.query(read_ratings_, voter, limit, offset).all(store::rating_in);
  }
  [[nodiscard]] std::int64_t count_ratings_of(db::Connection& connection,
                                              model::VoterId voter) const {
    return connection.query(count_ratings_, voter).number();
  }

  // Deletes up to 500 counters whose windows ended before "before".
  void delete_old_counters(db::Connection& connection, base::Time before) const {
    connection.execute(delete_counters_, first_counter_until(before));
  }

 private:
  const std::string read_ratings_, count_ratings_;
  const std::string delete_counters_;
};

}  // namespace votes
