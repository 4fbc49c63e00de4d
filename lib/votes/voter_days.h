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

// DESIGN. The days on which voters were active. Casting a vote can only add a new last day, which
// is stored in the voter's row. Adding or deleting past votes needs the active days before and
// after these votes. The active days are computed from the timestamps of the voter's counted votes
// and from the last day. Some earlier timestamps are not stored: the timestamps of votes that were
// changed more than once, withdrawn or aggregated. The activity pairs (table ratingd_reach) count
// the days of such votes permanently.
//
// Functions that use the database are called in a transaction. Errors: as db::Connection.

// Locks the rows for "voters" in order, inserts missing rows, and reads the last days into
// "changes". Returns the voters whose rows were inserted; these voters have no votes. An inserted
// row gets the day in "expected", so that it needs no second change if this day becomes the voter's
// last day.
using ExpectedDays = std::map<model::VoterId, base::Day>;
std::set<model::VoterId> lock_voters(db::Connection& connection,
                                     const std::set<model::VoterId>& voters,
                                     rollups::RollupChanges& changes,
                                     const ExpectedDays& expected = {});

// Reads the timestamps of all votes by "voters", two for each vote. The result has an entry for
// each voter, even if the voter has no votes.
[[nodiscard]] Moments read_moments(db::Connection& connection,
                                   const std::set<model::VoterId>& voters);

// Returns "moments" without the timestamps in "withdrawn". REQUIRES: "moments" contains these
// timestamps.
[[nodiscard]] Moments without(const Moments& moments, const Moments& withdrawn);

// Recomputes the activity of the voters in "before". Their votes had the timestamps in "before",
// and now have the timestamps in "after". "withdrawn" contains the timestamps of votes that no
// longer count. The voter's last day is removed if such a vote was cast on this day. Voters in
// "deleted" will be deleted.
void replace_activity(const Moments& before, const Moments& after, const Moments& withdrawn,
                      const std::set<model::VoterId>& deleted, rollups::RollupChanges& changes);

// Returns the days of "moments" in order, without duplicates.
[[nodiscard]] rollups::RollupChanges::Days days_of(const base::ZoneHistory& zones,
                                                   const std::vector<base::Time>& moments);
// Returns the days of "moments" and the voter's last day in "changes". The last day is left out if
// a time in "without" is on this day.
[[nodiscard]] rollups::RollupChanges::Days days_of(const rollups::RollupChanges& changes,
                                                   model::VoterId voter,
                                                   const std::vector<base::Time>& moments,
                                                   const std::vector<base::Time>& without = {});

}  // namespace votes
