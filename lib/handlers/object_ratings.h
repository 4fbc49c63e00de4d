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

// Members that several responses share. Each function writes keys and values into an open object.

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

// Returns the object with its stats. The stats come from the cache that all responses use, so no
// client receives older totals after newer ones.
[[nodiscard]] ObjectStats with_stats(const api::Core& core, const api::Reading& reading,
                                     const model::Object& object);

// Returns the object that an id without a type identifies. The object has another type than "post"
// only if no post with this id has ratings, no published post has this id, and exactly one other
// type has ratings with this id. Otherwise, it is a post. Types in "facets" are ignored. "has_post"
// returns whether the requester may know that a post exists, and is called each time. If "has_post"
// is empty, the CMS is asked whether the post exists.
[[nodiscard]] ObjectStats meant_object(const api::Core& core, const api::Reading& reading,
                                       std::uint64_t id, const model::FacetNames& facets,
                                       const std::function<bool()>& has_post = {});

}  // namespace handlers
