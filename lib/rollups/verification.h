#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/connection.h"
#include "rollups/differences.h"

namespace rollups {

// A row in a rollup that does not match the votes and aggregates.
struct RollupMismatch {
  std::string rollup;  // "totals", "daily" ...
  std::string row;     // the key of the row, as a string
};

inline constexpr int kMaxMismatches = 100;  // the maximum number of rows listed for each rollup

// Recomputes the rollups from votes and aggregates (rollups/differences.h) and returns the rows
// that do not match. Votes may arrive during the verification.
//
// Checks every sum in the tables totals, daily, site_daily, users and user_daily, and the time of
// each object's last rating. The voters' rows and the activity pairs (table ratingd_reach) contain
// a history that cannot be computed from the votes alone. Therefore, find_mismatches() only checks
// that no counted vote is later than its voter's last active day, and that the activity pairs match
// the last active days of all voters. Throws the same exceptions as db::Connection. Throws
// db::Conflict if version 0.3 rebuilds the rollups during the verification.
[[nodiscard]] std::vector<RollupMismatch> find_mismatches(
    db::Connection& connection, const VerifyProgress& progress = [](std::int64_t, std::int64_t) {});

// The database server's estimates of row counts. Counting all rows would be slow.
struct RowEstimates {
  std::int64_t votes = 0;
  std::int64_t voters = 0;
  std::int64_t totals = 0;  // one row for each object and category
  std::int64_t held = 0;    // the exact number of held votes
};
[[nodiscard]] RowEstimates estimate_rows(db::Connection& connection);
[[nodiscard]] std::int64_t estimated_rows(db::Connection& connection,
                                          const std::string& table);  // such as "votes"

}  // namespace rollups
