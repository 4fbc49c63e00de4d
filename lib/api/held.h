#pragma once

#include "api/call.h"

namespace api {

// Votes that are held as suspicious (votes/suspicion.h). For administrators only.
Result list_held(const App& app, const Call& call);     // GET /data/held
Result resolve_held(const App& app, const Call& call);  // POST /data/held: releases or drops some

}  // namespace api
