#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "votes/batch_rows.h"
#include "votes/vote.h"

namespace votes {

// The reason why a vote request is rejected.
struct Refusal {
  VoteResult::Outcome outcome = VoteResult::Outcome::already_rated;
  // The time until the request can succeed, rounded up, or 0 if waiting does not help.
  std::chrono::seconds retry_after{0};

  bool operator==(const Refusal&) const = default;
};

// All data about a request's voter used by the rules. If a new rule needs more data, add a member
// here, and set it in read_states().
struct VoterState {
  // The rating that the request would change or withdraw.
  std::optional<model::OwnRating> earlier{};
  base::Time last_rated_at{};      // time of the voter's last rating; the epoch if there is none
  std::int64_t ratings_today = 0;  // the voter's new ratings on the current day
  base::Time tomorrow{};           // when the voter's next day begins
  bool is_new_voter = false;       // the voter is anonymous and has not rated the object
  bool has_other_reason = false;   // the request would replace the stored reason
  // The number of votes already counted towards Rules::of_address and Rules::new_voters in the
  // current time window.
  std::int64_t of_address = 0;
  std::int64_t new_voters = 0;
};

// Returns whether "rated_at" is more than a minute after "now", which happens if a host's clock was
// fast when the rating was stored. Rules about the age of ratings do not apply to ratings from the
// future, because their age is unknown. A difference of up to a minute is normal, because the
// hosts' clocks may differ.
[[nodiscard]] bool is_ahead(base::Time rated_at, base::Time now);

// For each request in "vote", collects the data that the rules use. Replaces the contents of
// "states" with the results.
void read_states(const BatchRows& rows, VoteSpan vote, std::vector<VoterState>& states);

// Applies the rules to a vote and its parts. "states" must be the result of read_states() for this
// vote. Returns nothing if the rules allow all requests. If several rules reject the vote, returns
// the refusal with the longest wait, so that a request sent after the wait is not rejected again.
//
// A request that changes neither the stored value nor the stored reason is always allowed, so that
// clients can safely repeat requests. Changing a rating does not create a new rating, so only the
// "revote" and "cooldown" rules apply to a change. The "revote" rule also applies to a withdrawal,
// because otherwise a voter could change a rating by withdrawing it first. No other rule applies to
// a withdrawal. A withdrawn rating still counts towards the limits. By law, people may erase all
// their ratings at any time, so no rule applies to an erasure.
//
// If a vote rates an object and a facet that the voter has not rated before, the "revote" rule does
// not apply to the object's rating, so that voters can rate facets one after the other.
[[nodiscard]] std::optional<Refusal> find_refusal(VoteSpan vote,
                                                  std::span<const VoterState> states);

}  // namespace votes
