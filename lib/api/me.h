#pragma once

#include "api/call.h"

namespace api {

// People's right to see and to erase what is stored of them.
Result own_ratings(const App& app, const Call& call);        // GET /me
Result erase_own_ratings(const App& app, const Call& call);  // DELETE /me

}  // namespace api
