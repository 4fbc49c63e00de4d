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

// Maps each voter to the times at which the voter cast or changed counted votes.
using Moments = std::map<model::VoterId, std::vector<base::Time>>;

// DESIGN. The functions in this file compute the days on which voters were active. A new vote can
// only add a new last day, which is stored in the voter's row. To add or delete past votes, the
// voter's active days before and after the change must be computed from the timestamps of the
// voter's counted votes and from the last day. Some earlier timestamps are no longer stored because
// the votes were changed more than once, withdrawn or aggregated. The activity pairs (table
// ratingd_reach) count the days of such votes permanently.
//
// Functions that use the database must be called in a transaction, and throw the same exceptions as
// db::Connection.

// Locks the rows of "voters" in order, inserts missing rows, and reads the last days into
// "changes". Returns the voters whose rows were inserted, none of whom has votes. An inserted row
// contains the day in "expected", so the row need not be changed again if the expected day becomes
// the voter's last day.
using ExpectedDays = std::map<model::VoterId, base::Day>;
std::set<model::VoterId> lock_voters(db::Connection& connection,
                                     const std::set<model::VoterId>& voters,
                                     rollups::RollupChanges& changes,
                                     const ExpectedDays& expected = {});

// Reads the timestamps of all votes by "voters". Each vote has two timestamps. The result has an
// entry for each voter, even for voters without votes.
[[nodiscard]] Moments read_moments(db::Connection& connection,
                                   const std::set<model::VoterId>& voters);

// Returns "moments" without the timestamps in "withdrawn". "moments" must contain all timestamps in
// "withdrawn".
[[nodiscard]] Moments without(const Moments& moments, const Moments& withdrawn);

// Recomputes the activity of the voters in "before". "before" and "after" contain the timestamps of
// the voters' votes before and after a change. "withdrawn" contains the timestamps of votes that no
// longer count. A voter's last day is removed if it contains a timestamp in "withdrawn". The voters
// in "deleted" will be deleted.
void replace_activity(const Moments& before, const Moments& after, const Moments& withdrawn,
                      const std::set<model::VoterId>& deleted, rollups::RollupChanges& changes);

// Returns the days that contain the times in "moments", in order and without duplicates.
[[nodiscard]] rollups::RollupChanges::Days days_of(const base::ZoneHistory& zones,
                                                   const std::vector<base::Time>& moments);
// Returns the days that contain the times in "moments", and the voter's last day in "changes".
// Omits the last day if it contains a time in "without".
[[nodiscard]] rollups::RollupChanges::Days days_of(const rollups::RollupChanges& changes,
                                                   model::VoterId voter,
                                                   const std::vector<base::Time>& moments,
                                                   const std::vector<base::Time>& without = {});

}  // namespace votes
