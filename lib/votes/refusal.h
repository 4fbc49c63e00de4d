#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "votes/batch_rows.h"
#include "votes/vote_request.h"
#include "votes/vote_result.h"

namespace votes {

// Why a vote request is refused.
struct Refusal {
  VoteResult::Outcome outcome = VoteResult::Outcome::already_rated;
  std::chrono::seconds retry_after{0};  // rounded up; 0: repeating the request later does not help

  bool operator==(const Refusal&) const = default;
};

// Everything that the rules need to know about the voter of a request. If a new rule needs more,
// add a member here, and set it in read_states().
struct VoterState {
  std::optional<model::OwnRating> earlier{};  // the rating that the request changes or withdraws
  base::Time last_rated_at{};                 // of any object; the epoch: never
  std::int64_t ratings_today = 0;             // new ratings of the voter
  base::Time tomorrow{};                      // when the voter's next day begins
  bool is_new_voter = false;                  // anonymous, and has no rating of the object
  bool has_other_reason = false;              // than the request, which has one
  // How much of the limits with the same names in Rules is used.
  std::int64_t of_address = 0;
  std::int64_t new_voters = 0;
};

// Returns whether "rated_at" comes from a clock that was ahead and has been set back since. The age
// of such a rating is unknown, so a vote is not refused for its age. Clocks of several hosts may
// differ by a minute.
[[nodiscard]] bool is_ahead(base::Time rated_at, base::Time now);

// Sets "states" to the states of the requests of "vote".
void read_states(const BatchRows& rows, VoteSpan vote, std::vector<VoterState>& states);

// Applies the rules of "request"; nothing if it may be carried out. If several rules refuse it, the
// one with the longest wait is returned, so that a voter who waits is not refused again.
//
// A request for the value that is stored already is never refused, so that requests can be
// repeated. A change is not a new rating: only revote and cooldown apply. Revote applies to a
// withdrawal, too; else a voter could change a rating by withdrawing it first. No other rule
// applies to a withdrawal, and it does not give back what the rating used of the limits. (Erasing
// all ratings of a person is a right of that person and has no rules.)
[[nodiscard]] std::optional<Refusal> find_refusal(const VoteRequest& request,
                                                  const VoterState& voter_state);

// The same for a vote and its parts, as they are before it, with a state for each: nothing if all
// may be carried out. The rating of the object may follow a facet that is rated for the first time:
// revote does not apply to it then, so that facets can be rated one after the other.
[[nodiscard]] std::optional<Refusal> find_refusal(VoteSpan vote,
                                                  std::span<const VoterState> states);

}  // namespace votes
