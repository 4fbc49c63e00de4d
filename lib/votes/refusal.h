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
  // Rounded up; 0 if repeating the request later does not help.
  std::chrono::seconds retry_after{0};

  bool operator==(const Refusal&) const = default;
};

// Everything that the rules need to know about a request's voter. If a new rule needs more, add a
// member here, and set it in read_states().
struct VoterState {
  // The rating that the request would change or withdraw.
  std::optional<model::OwnRating> earlier{};
  base::Time last_rated_at{};      // time of the voter's last rating; the epoch if there is none
  std::int64_t ratings_today = 0;  // the voter's new ratings on the current day
  base::Time tomorrow{};           // when the voter's next day begins
  bool is_new_voter = false;       // the voter is anonymous and has not rated the object
  bool has_other_reason = false;   // the request would replace the stored reason
  // How many uses were counted for the limit that has the same name in Rules.
  std::int64_t of_address = 0;
  std::int64_t new_voters = 0;
};

// Returns whether "rated_at" is later than "now" because it comes from a clock that was fast and
// has been set back since then. The age of such a rating is unknown, so no vote is refused because
// of its age. A difference of up to a minute is ignored because the hosts' clocks may differ.
[[nodiscard]] bool is_ahead(base::Time rated_at, base::Time now);

// Sets "states" to the states of the requests in "vote".
void read_states(const BatchRows& rows, VoteSpan vote, std::vector<VoterState>& states);

// Applies the rules in "request". Returns nothing if the rules allow the request. If several rules
// refuse the request, returns the refusal with the longest wait, so that a voter who waits is not
// refused again.
//
// A request for the stored value is never refused, so that requests can be repeated. The exception
// is a request that would replace the stored reason. A change is not a new rating, so only the
// rules "revote" and "cooldown" apply to a change. The rule "revote" applies to a withdrawal, too,
// because otherwise a voter could change a rating by withdrawing it first. No other rule applies to
// a withdrawal. A withdrawal does not undo the counting for the limits. (People have the right to
// erase all their ratings, and no rule applies to this erasure.)
[[nodiscard]] std::optional<Refusal> find_refusal(const VoteRequest& request,
                                                  const VoterState& voter_state);

// Applies the rules to a vote and its parts. For each request, "states" contains the state before
// the vote. Returns nothing if the rules allow all requests. If a vote rates a facet for the first
// time, the rule "revote" does not apply to the object's rating in the same vote. So a voter can
// rate the facets one after the other.
[[nodiscard]] std::optional<Refusal> find_refusal(VoteSpan vote,
                                                  std::span<const VoterState> states);

}  // namespace votes
