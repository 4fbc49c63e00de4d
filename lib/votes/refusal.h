#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "votes/batch_rows.h"
#include "votes/vote.h"

namespace votes {

// Why a vote request is refused.
struct Refusal {
  VoteResult::Outcome outcome = VoteResult::Outcome::already_rated;
  std::chrono::seconds retry_after{0};  // rounded up; 0: repeating the request later does not help

  bool operator==(const Refusal&) const = default;
};

// Everything that the rules need to know about a request's voter. If a new rule needs more, add a
// member here, and set it in read_states().
struct VoterState {
  std::optional<model::OwnRating> earlier{};  // the rating that the request changes or withdraws
  base::Time last_rated_at{};      // the last rating for any object; the epoch if there is none
  std::int64_t ratings_today = 0;  // new ratings by the voter on the current day
  base::Time tomorrow{};           // when the voter's next day begins
  bool is_new_voter = false;       // the voter is anonymous and has not rated the object
  bool has_other_reason = false;   // the request would replace the stored reason
  // The used part of the limit with the same name in Rules.
  std::int64_t of_address = 0;
  std::int64_t new_voters = 0;
};

// Returns whether "rated_at" is later than "now" because it comes from a clock that was ahead and
// has been set back since. The age of such a rating is unknown, so no vote is refused because of
// its age. Differences of up to a minute do not count, because the hosts' clocks may differ.
[[nodiscard]] bool is_ahead(base::Time rated_at, base::Time now);

// Sets "states" to the states of the requests in "vote".
void read_states(const BatchRows& rows, VoteSpan vote, std::vector<VoterState>& states);

// Applies the rules in "request". Returns nothing if the request may be carried out. If several
// rules refuse the request, returns the refusal with the longest wait, so that a voter who waits is
// not refused again.
//
// A request for the stored value is never refused, so that requests can be repeated. The exception
// is a request that would replace the stored reason. A change is not a new rating, so only the
// rules "revote" and "cooldown" apply to a change. The rule "revote" applies to a withdrawal, too;
// otherwise, a voter could change a rating by withdrawing it first. No other rule applies to a
// withdrawal. A withdrawal does not restore the used part of the limits. (Persons have a right to
// erase all their ratings. No rule applies to this erasure.)
[[nodiscard]] std::optional<Refusal> find_refusal(const VoteRequest& request,
                                                  const VoterState& voter_state);

// Applies the rules to a vote and its parts. "states" contains the state before the vote for each
// request. Returns nothing if all requests may be carried out. If a vote rates a facet for the
// first time, the rule "revote" does not apply to the object's rating in the same vote. So facets
// can be rated one after the other.
[[nodiscard]] std::optional<Refusal> find_refusal(VoteSpan vote,
                                                  std::span<const VoterState> states);

}  // namespace votes
