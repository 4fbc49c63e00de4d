#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string_view>

#include "api/call.h"
#include "base/clock.h"
#include "json/codec.h"
#include "model/rating.h"
#include "model/settings.h"

namespace handlers {

// Determines whether a vote on an object would be accepted now. This class checks the settings, the
// login, the type, the category and the requester's rating, and never reads the database. A vote
// may still be held, or rejected because of limits, blocked networks or the `object_check` setting.
class RatePermission {
 public:
  enum class Audience { requester, everybody };

  // Checks votes on "parent" and on its facets. With Audience::everybody, the permission depends
  // only on the settings, not on the requester.
  RatePermission(const api::Core& core, const api::Call& call, Audience audience,
                 const model::Object& parent);

  // Returns the reason why a vote in "category" would be rejected, or an empty string if the vote
  // would be accepted. "own" is the requester's current rating in this category.
  [[nodiscard]] std::string_view refusal(model::Category category,
                                         const std::optional<model::OwnRating>& own) const;

  // Writes the "may_rate" member and, if votes in some categories would be rejected, the "refusals"
  // member.
  void write(json::Writer& json, const model::OwnRatings& own) const;

 private:
  // For each category, the reason to reject votes regardless of the requester's own rating, or an
  // empty string.
  std::array<std::string_view, model::kCategories.size()> refusals_;
  model::Revote revote_ = model::Revote::replace;
  std::chrono::hours revote_cooldown_{0};
  base::Time now_;
};

}  // namespace handlers
