#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/metrics.h"
#include "model/rating.h"

namespace votes {

// The outcome of a vote request.
struct VoteResult {
  enum class Outcome : std::uint8_t {
    stored,          // the rating is new or has changed; it may be held, which voters are not told
    unchanged,       // the voter had this value already; a moved rating is deleted nevertheless,
                     // and a reason is stored
    withdrawn,       // the rating is deleted
    nothing_stored,  // there was no rating to withdraw
    already_rated,   // refused: ratings cannot be changed
    // Refused until retry_after has passed:
    cooling_down,             // the voter changed this rating recently
    too_soon,                 // the voter rated anything recently
    too_many_of_voter,        // new ratings in a day
    too_many_of_address,      // new ratings in the window
    too_many_new_voters,      // from the address on the object in the window
    too_many_program_voters,  // the same, of programs without cookie and device token
    end,
  };
  Outcome outcome = Outcome::unchanged;
  std::chrono::seconds retry_after{0};         // at least 1 for a refusal that ends
  model::VoterId voter = 0;                    // whose rating it is
  std::optional<model::Thousandths> previous;  // the value before; also if the request is refused
  model::OwnRatings own;                       // after this vote request
  model::Stats stats;                          // of the object, after the batch
  bool is_new = false;                         // it counts as a new rating
  bool is_of_new_voter = false;                // and the voter had not rated the object before
  bool has_reason = false;                     // the rating has one, after this vote request
  // Those of the request's parts, in their order. Then "outcome" is that of the whole vote.
  std::vector<VoteResult> parts = {};
};

// Where each outcome is counted, in the order of the outcomes.
struct OutcomeCount {
  VoteResult::Outcome outcome;
  base::Count count;
};
inline constexpr auto kOutcomeCounts = std::to_array<OutcomeCount>({
    {VoteResult::Outcome::stored, base::Count::vote_stored},
    {VoteResult::Outcome::unchanged, base::Count::vote_unchanged},
    {VoteResult::Outcome::withdrawn, base::Count::vote_withdrawn},
    {VoteResult::Outcome::nothing_stored, base::Count::vote_nothing_stored},
    {VoteResult::Outcome::already_rated, base::Count::vote_already_rated},
    {VoteResult::Outcome::cooling_down, base::Count::vote_cooling_down},
    {VoteResult::Outcome::too_soon, base::Count::vote_too_soon},
    {VoteResult::Outcome::too_many_of_voter, base::Count::vote_too_many_of_voter},
    {VoteResult::Outcome::too_many_of_address, base::Count::vote_too_many_of_address},
    {VoteResult::Outcome::too_many_new_voters, base::Count::vote_too_many_new_voters},
    {VoteResult::Outcome::too_many_program_voters, base::Count::vote_too_many_program_voters},
});

[[nodiscard]] constexpr bool is_refusal(VoteResult::Outcome outcome) {
  return outcome >= VoteResult::Outcome::already_rated;
}

// Each outcome has its row, and its count is shown with those of its kind.
static_assert(kOutcomeCounts.size() == static_cast<std::size_t>(VoteResult::Outcome::end) && [] {
  for (std::size_t i = 0; i < kOutcomeCounts.size(); ++i) {
    const auto [outcome, count] = kOutcomeCounts[i];
    const base::CountGroup group =
        is_refusal(outcome) ? base::CountGroup::vote_refused : base::CountGroup::vote_done;
    if (static_cast<std::size_t>(outcome) != i) return false;
    if (base::kCounts[static_cast<std::size_t>(count)].group != group) return false;
  }
  return true;
}());

[[nodiscard]] constexpr base::Count count_of(VoteResult::Outcome outcome) {
  return kOutcomeCounts[static_cast<std::size_t>(outcome)].count;
}

}  // namespace votes
