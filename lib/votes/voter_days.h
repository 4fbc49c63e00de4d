#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/zone_history.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/rollup_changes.h"

namespace votes {

// The times at which each voter cast or changed counted votes.
using Moments = std::map<model::VoterId, std::vector<base::Time>>;

// DESIGN. The days on which voters were active. Casting a vote can only add a new last day, which
// the voter's row holds. Adding or deleting votes of the past needs the days before and after them:
// these are computed from the times of the voter's counted votes and from the last day. Earlier
// times of a vote that was changed more than once, withdrawn or aggregated are not stored. The
// activity pairs (table ratingd_reach) count such days permanently.
//
// Functions that use the database are called in a transaction. Errors: as db::Connection.

// Locks the rows of "voters" in their order, inserts missing ones, and reads the last days into
// "changes". Returns the voters whose rows were inserted; these voters have no votes. An inserted
// row gets the day in "expected", so that it needs no second change if this day becomes the voter's
// last day.
using ExpectedDays = std::map<model::VoterId, base::Day>;
std::set<model::VoterId> lock_voters(db::Connection& connection,
                                     const std::set<model::VoterId>& voters,
                                     rollups::RollupChanges& changes,
                                     const ExpectedDays& expected = {});

// Has an entry for each of "voters", with two times of each vote. Reads all their votes.
[[nodiscard]] Moments read_moments(db::Connection& connection,
                                   const std::set<model::VoterId>& voters);

// "moments" without "withdrawn", which are among them.
[[nodiscard]] Moments without(const Moments& moments, const Moments& withdrawn);

// Recomputes the activity of the voters of "before": their votes had these times, and now have the
// times in "after". "withdrawn" are the times of votes that do not count any more, which the last
// day may come from. Voters in "deleted" will be deleted.
void replace_activity(const Moments& before, const Moments& after, const Moments& withdrawn,
                      const std::set<model::VoterId>& deleted, rollups::RollupChanges& changes);

// The days of "moments".
[[nodiscard]] rollups::RollupChanges::Days days_of(const base::ZoneHistory& zones,
                                                   const std::vector<base::Time>& moments);
// Returns the days of "moments" and the voter's last day in "changes", unless that is one of the
// days of "without".
[[nodiscard]] rollups::RollupChanges::Days days_of(const rollups::RollupChanges& changes,
                                                   model::VoterId voter,
                                                   const std::vector<base::Time>& moments,
                                                   const std::vector<base::Time>& without = {});

}  // namespace votes
