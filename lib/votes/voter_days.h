#pragma once

#include <map>
#include <set>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/rollup_changes.h"

namespace votes {

// Maps each voter to the times at which the voter cast or changed counted votes.
using Moments = std::map<model::VoterId, std::vector<base::Time>>;

// DESIGN. The functions in this file compute the days on which voters were active. A new vote adds
// at most one active day, which is then stored in the voter's row as the last active day. If a
// change adds or deletes past votes, the voter's active days are computed twice, from the votes
// before the change and from the votes after it. Active days are computed from the timestamps of
// the voter's counted votes and the stored last active day. Timestamps are deleted when votes are
// withdrawn, aggregated or changed more than once, but the ratingd_reach table still counts the
// days of deleted timestamps.
//
// Functions that use the database must be called in a transaction, and throw the same exceptions as
// db::Connection.

// Locks the rows of "voters" in ascending order, inserts missing rows, and copies each voter's last
// active day to "changes". Returns the voters whose rows were inserted. A voter without a row has
// no votes. An inserted row contains the voter's last active day from "expected", so that a vote on
// this day does not require an update.
using ExpectedDays = std::map<model::VoterId, base::Day>;
std::set<model::VoterId> lock_voters(db::Connection& connection,
                                     const std::set<model::VoterId>& voters,
                                     rollups::RollupChanges& changes,
                                     const ExpectedDays& expected = {});

// Reads the timestamps of all votes by "voters". The timestamps of a vote are created_at and
// rated_at. The result contains an entry for each voter, including voters without votes.
[[nodiscard]] Moments read_moments(db::Connection& connection,
                                   const std::set<model::VoterId>& voters);

// Returns "moments" without the timestamps in "withdrawn". Each timestamp in "withdrawn" must also
// be in "moments".
[[nodiscard]] Moments without(const Moments& moments, const Moments& withdrawn);

// Recomputes the days on which the voters in "before" were active. "before" and "after" map each
// voter to the timestamps of the voter's votes before and after a change. "withdrawn" contains the
// timestamps of votes that no longer count. If "withdrawn" contains a timestamp on a voter's last
// active day, removes the stored last active day. "deleted" contains the voters whose rows will be
// deleted.
void replace_activity(const Moments& before, const Moments& after, const Moments& withdrawn,
                      const std::set<model::VoterId>& deleted, rollups::RollupChanges& changes);

// Converts the times in "moments" to days. The result is in ascending order and contains no
// duplicates.
[[nodiscard]] rollups::RollupChanges::Days days_of(const base::ZoneHistory& zones,
                                                   const std::vector<base::Time>& moments);
// Converts the times in "moments" to days. Adds the voter's last active day from "changes", unless
// this day is unknown or "withdrawn" contains a time on this day.
[[nodiscard]] rollups::RollupChanges::Days days_of(const rollups::RollupChanges& changes,
                                                   model::VoterId voter,
                                                   const std::vector<base::Time>& moments,
                                                   const std::vector<base::Time>& withdrawn = {});

}  // namespace votes
