#pragma once

#include <chrono>
#include <cstddef>

#include "base/clock.h"
#include "db/connection.h"
#include "model/rating.h"

// The data that stays about voters without votes: voters who withdrew all their votes, or whose
// votes retention replaced with sums. The row of such a voter has the last active day, the time of
// the last rating and the number of new ratings on that day. The limits per voter need these values
// (votes/refusal.h).
namespace transfer {

// The limits that count per voter. A site without a limit does not need the value.
struct VoterLimits {
  std::chrono::seconds cooldown{0};  // needs the time of the last rating for this long
  bool has_daily_maximum = false;    // needs the number of ratings until the day ends
};

// Erases the time and the number in the row of a voter without votes. Keeps a value that a limit
// needs. Errors: as db::Connection.
void forget_last_rating(db::Connection& connection, model::VoterId voter,
                        const VoterLimits& limits);

struct IdleVoters {
  std::size_t deleted = 0;  // rows, each with its activity pair
  std::size_t erased = 0;   // times and numbers in rows that stay

  bool operator==(const IdleVoters&) const = default;
};

// Deletes the rows of voters without votes if their last active day is over and the cooldown no
// longer needs the rows. If retention may have aggregated votes of a voter, erases only the time
// and the number, and keeps the row, so that the numbers of active voters do not change. Reads the
// rows of all voters in slices. After an interruption, finished slices stay. Errors: as
// db::Connection; db::Busy - an import or a clean-up takes too long.
IdleVoters forget_idle_voters(db::Connection& connection, base::Time now,
                              std::chrono::seconds cooldown);

}  // namespace transfer
