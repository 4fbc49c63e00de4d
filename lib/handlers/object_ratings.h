#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "api/app.h"
#include "json/codec.h"
#include "model/facets.h"
#include "model/rating.h"
#include "votes/vote.h"

namespace handlers {

// Each of these functions writes members of the current JSON object.

void write_object(json::Writer& json, const model::Object& object);  // object_id, object_type
void write_stats(json::Writer& json, const model::Stats& stats);     // "stats": {…}
void write_own(json::Writer& json, const model::OwnRatings& own);    // "user_ratings": {…}

struct ObjectStats {
  model::Object object;
  model::Stats stats;
};

[[nodiscard]] inline bool has_ratings(const model::Stats& stats) {
  return std::any_of(stats.begin(), stats.end(),
                     [](const model::Totals& totals) { return totals.total() > 0; });
}

// Returns the object with its stats. The stats come from the cache shared by all handlers, so later
// responses never contain older totals.
[[nodiscard]] ObjectStats with_stats(const api::Core& core, const api::Reading& reading,
                                     const model::Object& object);

// Returns the object identified by an id without a type, which is usually the post with this id. If
// this post has no ratings and is missing or hidden from the requester, and exactly one other type
// has ratings with this id, returns the object of that type. Ignores ratings of the facets in
// "facets". "has_post" returns whether the requester may know that a post exists. If "has_post" is
// empty, meant_object() looks up the post in the CMS.
[[nodiscard]] ObjectStats meant_object(const api::Core& core, const api::Reading& reading,
                                       std::uint64_t id, const model::FacetNames& facets,
                                       const std::function<bool()>& has_post = {});

}  // namespace handlers
