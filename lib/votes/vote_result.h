#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/rating.h"
#include "runtime/metrics.h"

namespace votes {

// The outcome of a vote request.
struct VoteResult {
  enum class Outcome : std::uint8_t {
    stored,          // the rating is new or has changed; voters do not learn whether it is held
    unchanged,       // the voter already had this value; a moved rating is deleted and a reason is
                     // stored nevertheless
    withdrawn,       // the rating is deleted
    nothing_stored,  // there was no rating to withdraw
    already_rated,   // refused: ratings cannot be changed
    // Refused until retry_after has passed:
    cooling_down,         // the voter changed this rating recently
    too_soon,             // the voter rated some object recently
    too_many_of_voter,    // too many new ratings by the voter in a day
    too_many_of_address,  // too many new ratings from the address in the window
    too_many_new_voters,  // too many new voters from the address on the object in the window
    end,                  // new outcomes go before it: the values are indexes in shared memory
  };
  Outcome outcome = Outcome::unchanged;
  std::chrono::seconds retry_after{0};         // at least 1 for a refusal that ends
  model::VoterId voter = 0;                    // the voter whose rating it is
  std::optional<model::Thousandths> previous;  // the value before, even if the request is refused
  model::OwnRatings own;         // the voter's ratings for the object after this vote request
  model::Stats stats;            // the object's totals after the batch
  bool is_new = false;           // the vote counts as a new rating
  bool is_of_new_voter = false;  // the vote is new, and the voter had not rated the object before
  bool has_reason = false;       // the rating has a reason after this vote request
  // The results of the request's parts, in their order. If there are parts, "outcome" is the
  // outcome of the whole vote.
  std::vector<VoteResult> parts = {};
};

// The outcome names in metrics, in the order of the enumerators.
inline constexpr auto kOutcomeNames = std::to_array<std::string_view>({
    "stored",
    "unchanged",
    "withdrawn",
    "nothing_stored",
    "already_rated",
    "cooling_down",
    "too_soon",
    "too_many_of_voter",
    "too_many_of_address",
    "too_many_new_voters",
});
static_assert(kOutcomeNames.size() == static_cast<std::size_t>(VoteResult::Outcome::end));
static_assert(kOutcomeNames.size() <= runtime::MetricsTable::kOutcomes &&
              model::kIdentifications.size() <= runtime::MetricsTable::kIdentifications);

[[nodiscard]] constexpr bool is_refusal(VoteResult::Outcome outcome) {
  return outcome >= VoteResult::Outcome::already_rated;
}

}  // namespace votes
