#pragma once

#include <array>
#include <optional>
#include <string>

#include "model/rating.h"

namespace store {

// What a request asks the writer to do: to set one rating, or to take it back.
struct Ballot {
  model::RatingKey key;
  std::optional<model::Thousandths> value;  // nothing: take the rating back
  base::Time received_at;
  // Of a voter who brought no proof: 16 bytes, or empty. When it belongs to a voter already, that
  // voter takes the place of key.voter; else it belongs to key.voter from now on.
  std::string fingerprint;
  base::Time fingerprint_since;  // seen before this, it belongs to nobody any more
  std::string address;           // as the votes table holds it, up to 17 bytes
};

struct OwnRating {
  model::Thousandths value = 0;
  base::Time rated_at;

  bool operator==(const OwnRating&) const = default;
};

// One voter's ratings of one object, by category.
using OwnRatings = std::array<std::optional<OwnRating>, model::kCategories.size()>;

// What became of a ballot.
struct Receipt {
  enum class Outcome {
    stored,          // the rating is new or has changed
    unchanged,       // the same value was stored already
    withdrawn,       // the rating is gone
    nothing_stored,  // there was no rating to take back
  };
  Outcome outcome = Outcome::unchanged;
  model::VoterId voter = 0;  // for whom it counts
  std::optional<model::Thousandths> previous;
  OwnRatings own;      // after this ballot
  model::Stats stats;  // of the object, after the batch
};

}  // namespace store
