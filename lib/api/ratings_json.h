#pragma once

#include "json/codec.h"
#include "model/rating.h"
#include "votes/vote_request.h"

namespace api {

// Members that several answers share; each function writes keys and values into an open object.

void write_object(json::Writer& json, const model::Object& object);  // object_id, object_type
void write_stats(json::Writer& json, const model::Stats& stats);     // "stats": {…}
void write_own(json::Writer& json, const model::OwnRatings& own);    // "user_ratings": {…}

}  // namespace api
