#pragma once

#include "api/call.h"

namespace api {

// Ratings that were held as suspicious (votes/suspicion.h); both are for administrators.
Result list_held(const App& app, const Call& call);    // GET /data/held
Result settle_held(const App& app, const Call& call);  // POST /data/held: releases or drops some

}  // namespace api
