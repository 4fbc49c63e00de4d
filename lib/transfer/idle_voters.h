#pragma once

#include <chrono>
#include <cstddef>

#include "base/clock.h"
#include "db/connection.h"
#include "model/rating.h"

// Functions that delete data about voters without votes. These voters withdrew all their votes, or
// retention replaced their votes with sums. Such a voter's row contains the last active day, the
// time of the last rating and the number of new ratings on that day. The limits per voter need
// these values (votes/refusal.h).
namespace transfer {

// The limits that count per voter. Each of them needs a value in the voter's row.
struct VoterLimits {
  std::chrono::seconds cooldown{0};  // needs the time of the last rating for this long
  bool has_daily_maximum = false;    // needs the number of ratings until the day ends
};

// Erases the time and the number in the row for a voter without votes. Does not erase a value that
// a limit still needs. Errors: as db::Connection.
void forget_last_rating(db::Connection& connection, model::VoterId voter,
                        const VoterLimits& limits);

struct IdleVoters {
  std::size_t deleted = 0;  // the number of rows, each with its activity pair
  std::size_t erased = 0;   // the number of rows that stay without time and number

  bool operator==(const IdleVoters&) const = default;
};

// Deletes the rows of voters without votes if their last active day is over and the cooldown no
// longer needs the rows. If retention may have aggregated votes of a voter, erases only the time
// and the number. Such a row stays, so that the numbers of active voters do not change. Reads the
// rows of all voters in slices. After an interruption, finished slices stay deleted. Errors: as
// db::Connection. Throws db::Busy if a running import or clean-up does not end in time.
IdleVoters forget_idle_voters(db::Connection& connection, base::Time now,
                              std::chrono::seconds cooldown);

}  // namespace transfer
