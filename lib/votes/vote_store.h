#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/connection.h"
#include "model/rating.h"

namespace votes {

// Reads the ratings of one voter, and deletes expired counters. Safe for concurrent use, each
// caller with its own connection. Errors of all functions: as db::Connection.
class VoteStore {
 public:
  explicit VoteStore(const std::string& table_prefix);

  // The voter's ratings, newest first: "limit" of them, after skipping "offset".
  [[nodiscard]] std::vector<model::Rating> ratings_of(db::Connection& connection,
                                                      model::VoterId voter, std::int64_t offset,
                                                      std::int64_t limit) const;
  [[nodiscard]] std::int64_t count_ratings_of(db::Connection& connection,
                                              model::VoterId voter) const;

  // Deletes up to 500 counters whose windows ended before "before".
  void delete_old_counters(db::Connection& connection, base::Time before) const;

 private:
  const std::string read_ratings_, count_ratings_;
  const std::string delete_counters_;
};

}  // namespace votes
