#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/zone.h"
#include "db/bulk_statement.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/rollup_changes.h"

namespace votes {

// The moments that the counted votes of each voter tell of.
using Moments = std::map<model::VoterId, std::vector<base::Time>>;

// DESIGN. Votes that are cast only ever add a voter's newest day, which the voter's row has. Who
// adds or takes away votes of the past has to find the days around them: from the times of the
// voter's counted votes, and the last day. Older days of a vote that was changed more than once,
// taken back or folded are forgotten: they stay counted in "reach" until a rebuild, and nobody
// finds them again.
//
// Safe for concurrent use, each caller with its own connection, in a transaction. Errors of all
// functions: as db::Connection.
class VoterDays {
 public:
  explicit VoterDays(const std::string& table_prefix);

  // Locks the rows of "voters", which it makes if need be, in their order, and makes their last
  // days known to "sets".
  void lock(db::Connection& connection, const rollups::AllRollupStatements& statements,
            const std::set<model::VoterId>& voters,
            std::vector<rollups::RollupChanges>& sets) const;

  // With an entry for each of "voters". Reads all their votes.
  [[nodiscard]] Moments read(db::Connection& connection,
                             const std::set<model::VoterId>& voters) const;

 private:
  const db::BulkStatement lock_, read_moments_;
};

// The days of "moments" and the last day that the rollups of "changes" know, if that is not "but".
[[nodiscard]] rollups::RollupChanges::Days days_of(
    const rollups::RollupChanges& changes, model::VoterId voter,
    const std::vector<base::Time>& moments,
    const std::optional<rollups::RollupChanges::Days>& but = {});

}  // namespace votes
