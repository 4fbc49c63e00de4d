#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/rollup_changes.h"

namespace votes {

// The times at which each voter cast or changed counted votes.
using Moments = std::map<model::VoterId, std::vector<base::Time>>;

// DESIGN. The days on which voters were active. A new vote can only add a new last day, which is
// stored in the voter's row. But to add or delete past votes, the voter's active days before and
// after the change must be known. These days are computed from the timestamps of the voter's
// counted votes and from the last day. Some earlier timestamps are no longer stored because the
// votes were changed more than once, withdrawn or aggregated. The activity pairs (table
// ratingd_reach) count the days of such votes permanently.
//
// Functions that use the database must be called in a transaction. Errors: same as db::Connection.

// Locks the rows for "voters" in order, inserts missing rows, and reads the last days into
// "changes". Returns the voters whose rows were inserted, who have no votes. An inserted row
// contains the day from "expected", so the row need not be changed again if this day becomes the
// voter's last day.
using ExpectedDays = std::map<model::VoterId, base::Day>;
std::set<model::VoterId> lock_voters(db::Connection& connection,
                                     const std::set<model::VoterId>& voters,
                                     rollups::RollupChanges& changes,
                                     const ExpectedDays& expected = {});

// Reads the timestamps of all votes by "voters". Each vote has two timestamps. The result has an
// entry for each voter, even if the voter has no votes.
[[nodiscard]] Moments read_moments(db::Connection& connection,
                                   const std::set<model::VoterId>& voters);

// Returns "moments" without the timestamps in "withdrawn". REQUIRES: "moments" contains these
// timestamps.
[[nodiscard]] Moments without(const Moments& moments, const Moments& withdrawn);

// Recomputes the activity of the voters in "before". "before" and "after" contain the timestamps of
// their votes before and after the change. "withdrawn" contains the timestamps of votes that no
// longer count. The voter's last day is removed if such a vote was cast on this day. Voters in
// "deleted" will be deleted.
void replace_activity(const Moments& before, const Moments& after, const Moments& withdrawn,
                      const std::set<model::VoterId>& deleted, rollups::RollupChanges& changes);

// Returns the days that contain "moments", in order and without duplicates.
[[nodiscard]] rollups::RollupChanges::Days days_of(const base::ZoneHistory& zones,
                                                   const std::vector<base::Time>& moments);
// Returns the days that contain "moments", and the voter's last day in "changes". Leaves out the
// last day if a time in "without" is on this day.
[[nodiscard]] rollups::RollupChanges::Days days_of(const rollups::RollupChanges& changes,
                                                   model::VoterId voter,
                                                   const std::vector<base::Time>& moments,
                                                   const std::vector<base::Time>& without = {});

}  // namespace votes
