#pragma once

#include "api/call.h"

namespace api {

Result stats_of_one(const App& app, const Call& call);   // GET /stats/{object_id}
Result stats_of_many(const App& app, const Call& call);  // GET /stats?object_ids=

// The same without the requester's own ratings.
Result public_stats_of_one(const App& app, const Call& call);   // GET /public/stats/{object_id}
Result public_stats_of_many(const App& app, const Call& call);  // GET /public/stats?object_ids=

}  // namespace api
