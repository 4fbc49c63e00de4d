#pragma once

#include <map>
#include <set>
#include <span>
#include <string>

#include "base/zone.h"
#include "db/bulk_statement.h"
#include "db/connection.h"
#include "model/rating.h"
#include "store/rollup_changes.h"

namespace store {

// Days on which a voter is counted as active.
using Days = std::set<base::Day>;
using LastDays = std::map<model::VoterId, base::Day>;

// DESIGN. Votes that are cast only ever add a voter's newest day, which the voter's row has. Who
// adds or takes away votes of the past has to find the days around them: from the times of the
// voter's counted votes, and the last day. Older days of a vote that was changed more than once, or
// taken back, are forgotten: they stay counted in "reach", and nobody finds them again.
//
// Safe for concurrent use, each caller with its own connection, in a transaction. Errors of all
// functions: as db::Connection.
class VoterDays {
 public:
  explicit VoterDays(const std::string& table_prefix);

  // Locks the rows of "voters", which it makes if need be, in their order.
  [[nodiscard]] LastDays lock(db::Connection& connection,
                              const std::set<model::VoterId>& voters) const;

  // The active days of all who are in "last_days". Reads all their votes.
  [[nodiscard]] std::map<model::VoterId, Days> read(db::Connection& connection,
                                                    const base::Zone& zone,
                                                    const LastDays& last_days) const;

  // Writes the last days of voters whose rows are locked.
  void save(db::Connection& connection, const LastDays& last_days) const;

 private:
  const db::BulkStatement lock_, read_last_, read_days_, save_;
};

// Adds to "changes" ("sign" +1), or takes away (-1), the reach of one voter active on "days".
void count_reach(RollupChanges& changes, const Days& days, std::int64_t sign);

// The last of "days", kNeverActive if there is none; and the reverse.
[[nodiscard]] base::Day last_of(const Days& days);
[[nodiscard]] Days days_with(base::Day last_day);

}  // namespace store
