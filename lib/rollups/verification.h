#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/connection.h"

namespace rollups {

// A row of a rollup that does not say what the votes say.
struct Difference {
  std::string rollup;  // "totals", "daily" ...
  std::string row;     // its key, for a person
};

inline constexpr int kMaxDifferences = 100;  // listed of each rollup

// Recomputes the rollups from votes and balances and returns what differs. Each rollup is compared
// in one statement and so in one consistent view: votes may arrive meanwhile. Reads all votes.
//
// Of totals, daily, site_daily, users and user_daily every sum is compared, by day where they have
// days, and the time of the last rating of totals. voters and reach are histories, which no vote
// tells in full; of them is checked that no counted vote is of a day after its voter's last one,
// and that reach leads to the last day of each voter and no further. Errors: as db::Connection;
// db::Conflict - a rebuild has changed the zone meanwhile.
[[nodiscard]] std::vector<Difference> find_differences(db::Connection& connection,
                                                       const std::string& table_prefix);

// About how many rows there are, from the database's own statistics: quick, and not exact.
struct Counts {
  std::int64_t votes = 0;
  std::int64_t voters = 0;
  std::int64_t objects = 0;  // and categories in which they are rated
  std::int64_t held = 0;     // votes; exact
};
[[nodiscard]] Counts count_rows(db::Connection& connection, const std::string& table_prefix);

}  // namespace rollups
