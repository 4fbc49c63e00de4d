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

// Whether a vote on an object would be accepted now, as far as the settings, the login, the type,
// the category and the own rating decide. Limits, blocked networks, held votes and the setting
// object_check may still refuse a vote. Never reads the database.
class RatePermission {
 public:
  enum class Audience { requester, everybody };

  // For votes on "parent" and on its facets. The permission for everybody depends on the settings
  // only.
  RatePermission(const api::App& app, const api::Call& call, Audience audience,
                 const model::Object& parent);

  // Returns the reason to refuse a vote that changes "own", the requester's rating in "category";
  // empty if there is none.
  [[nodiscard]] std::string_view refusal(model::Category category,
                                         const std::optional<model::OwnRating>& own) const;

  // Writes the members "may_rate" and, if a category is refused, "refusals".
  void write(json::Writer& json, const model::OwnRatings& own) const;

 private:
  std::array<std::string_view, model::kCategories.size()> refusals_;  // whatever the own rating
  model::Revote revote_ = model::Revote::replace;
  std::chrono::hours revote_cooldown_{0};
  base::Time now_;
};

}  // namespace handlers
