#pragma once

#include <chrono>
#include <optional>

#include "store/ballot.h"

namespace store {

// Why a ballot is not carried out.
struct Refusal {
  Receipt::Outcome outcome = Receipt::Outcome::already_rated;
  std::chrono::seconds retry_after{0};  // rounded up; 0: repeating it later does not help

  bool operator==(const Refusal&) const = default;
};

// Judges "ballot" by its rules; nothing if it may be carried out. "earlier" is the rating that it
// would change or take back. Asking for the value that is there already is never refused, so that
// repeating a request is safe; taking a rating back is judged like changing it, or it would be the
// way round the rules. (Erasing all of one's ratings, a person's right, comes without rules.)
[[nodiscard]] std::optional<Refusal> find_refusal(const Ballot& ballot,
                                                  const std::optional<OwnRating>& earlier);

}  // namespace store
