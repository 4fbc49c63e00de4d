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
    stored,          // the rating is new or has changed; it may be held, which voters are not told
    unchanged,       // the voter had this value already; a moved rating is deleted nevertheless,
                     // and a reason is stored
    withdrawn,       // the rating is deleted
    nothing_stored,  // there was no rating to withdraw
    already_rated,   // refused: ratings cannot be changed
    // Refused until retry_after has passed:
    cooling_down,         // the voter changed this rating recently
    too_soon,             // the voter rated anything recently
    too_many_of_voter,    // new ratings in a day
    too_many_of_address,  // new ratings in the window
    too_many_new_voters,  // from the address on the object in the window
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

// The names of the outcomes in metrics, in their order.
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
