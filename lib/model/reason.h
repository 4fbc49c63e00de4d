#pragma once

#include "model/rating.h"
#include "model/text.h"

namespace model {

// The reason for a low vote: a message that the voter writes for the site's owner.
inline constexpr TextLimits kReasonLimits{
    .may_be_empty = true, .maximum = 1000, .lines = TextLimits::Lines::several};

// Returns whether a vote with this value can have a reason. This is the case for a dislike, a thumb
// down, and at most half of the scale.
[[nodiscard]] constexpr bool is_low(Category category, Thousandths value) {
  switch (category) {
    case Category::binary:
      return value == 0;
    case Category::bipolar:
      return value < 0;
    case Category::scale:
      return value <= 500;
  }
  return false;
}

}  // namespace model
