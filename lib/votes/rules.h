#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "votes/vote_request.h"

namespace votes {

// Why a vote request is not carried out.
struct Refusal {
  VoteResult::Outcome outcome = VoteResult::Outcome::already_rated;
  std::chrono::seconds retry_after{0};  // rounded up; 0: repeating it later does not help

  bool operator==(const Refusal&) const = default;
};

// What the rules must know when they judge a vote request.
struct VoterState {
  std::optional<model::OwnRating> earlier{};  // the rating that it would change or take back
  base::Time last_rated_at{};                 // by the voter, anything; the epoch for never
  std::int64_t ratings_today = 0;             // new ones of the voter
  base::Time tomorrow{};                      // when the voter's next day begins
  bool is_new_voter = false;                  // anonymous, and has rated the object in no category
  // How much of the allowances of the same names in Rules is used.
  std::int64_t of_address = 0;
  std::int64_t new_voters = 0;
  std::int64_t program_voters = 0;
};

// Judges "vote request" by its rules; nothing if it may be carried out. Of several reasons the one
// that lasts longest, so that who waits for it is not refused again.
//
// Asking for the value that is there already is never refused, so that repeating a request is safe.
// A change is not a new rating: only revote and cooldown look at it. Taking a rating back is judged
// by revote like a change, or it would be the way round it; it is no rating otherwise, and gives
// back nothing that the rating used up. (Erasing all of one's ratings, a person's right, comes
// without rules.)
[[nodiscard]] std::optional<Refusal> find_refusal(const VoteRequest& request,
                                                  const VoterState& voter_state);

// The end of the window that "at" is in: windows of this length follow each other from 1970 on, in
// UTC, the same for all. REQUIRES: 1 hour or more.
[[nodiscard]] base::Time window_end(base::Time at, std::chrono::hours window);

}  // namespace votes
