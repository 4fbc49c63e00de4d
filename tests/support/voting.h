#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "rollups/stats_store.h"
#include "rollups/verification.h"
#include "support/cache_memory.h"
#include "support/clock.h"
#include "support/database.h"
#include "support/vote_requests.h"
#include "votes/vote_writer.h"

namespace support {

// Thrown by a test to interrupt a long operation.
struct Interruption {};

// Returns the counted votes and all sums in the database, one line per row. Omits empty rows and
// the "slot" column.
inline std::string counted(db::Connection& connection) {
  const char* queries[] = {
      "object_id, category, voter, value, created_at, rated_at)"
      " FROM wp_ratingd_votes WHERE held = 0",
      "object_id, object_type, category, sum, bin0, bin5, bin8, bin10, last_rated_at)"
      " FROM wp_ratingd_totals WHERE bin0 + bin5 + bin8 + bin10 > 0",
      "day, category, object_id, total, sum, positive, negative) FROM wp_ratingd_daily"
      " WHERE total > 0",
      "day, category, SUM(sum), SUM(bin0), SUM(bin8), SUM(bin10)) FROM wp_ratingd_site_daily"
      " GROUP BY day, category HAVING SUM(bin0 + bin5 + bin8 + bin10) > 0",
      "user_id, category, total, sum, first_rated_at, last_rated_at) FROM wp_ratingd_users"
      " WHERE total > 0",
      "day, user_id, category, object_type, total, sum) FROM wp_ratingd_user_daily"
      " WHERE total > 0",
      "voter, last_day) FROM wp_ratingd_voters WHERE last_day > '1000-01-01'",
      "day, previous_day, SUM(voters)) FROM wp_ratingd_reach GROUP BY day, previous_day"
      " HAVING SUM(voters) <> 0"};
  std::string text;
  for (const std::string query : queries) {
    text += query + "\n";
    db::Rows row = connection.query("SELECT CONCAT_WS(' ', " + query + " ORDER BY 1");
    while (row.next()) text += row.text(1) + "\n";
  }
  return text;
}

// Runs a vote writer with a new database and provides functions that query the database.
class Voting : public ::testing::Test {
 protected:
  static const model::Totals& totals(const votes::VoteResult& vote_result,
                                     model::Category category) {
    return vote_result.stats[static_cast<std::size_t>(category)];
  }
  model::Stats stored_stats() {
    db::Connection connection(database_.endpoint());
    return rollups::read_totals(connection, {&kPost, 1}).at(kPost).stats;
  }
  std::int64_t number(const std::string& query) {
    db::Connection connection(database_.endpoint());
    return connection.query(query).number();
  }
  void expect_verified() {
    db::Connection connection(database_.endpoint());
    for (const auto& difference : rollups::find_mismatches(connection)) {
      ADD_FAILURE() << difference.rollup << " " << difference.row;
    }
  }

  Database database_;
  runtime::Log log_{runtime::LogLevel::error};
  CacheMemory memory_;
  CacheMemory memory_of_voters_;
  const rollups::StatsStore stats_{memory_.cache()};
  votes::OwnRatingsCache own_ratings_{memory_of_voters_.cache()};
  const votes::HostCaches caches_{stats_, own_ratings_};
  votes::VoteWriter writer_{votes::writer_sessions(database_.endpoint()), caches_, log_, {}};
};

}  // namespace support
