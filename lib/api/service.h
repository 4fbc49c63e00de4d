#pragma once

#include "api/call.h"

namespace api {

Result service_index(const App& app, const Call& call);  // GET {base_path}
Result health(const App& app, const Call& call);         // GET /health
Result openapi(const App& app, const Call& call);        // GET /openapi.json

}  // namespace api
