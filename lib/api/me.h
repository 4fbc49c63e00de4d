#pragma once

#include "api/call.h"

namespace api {

// People's right to see and to erase what is stored of them. REQUIRES: call.voter.
Result own_ratings(const App& app, const Call& call);  // GET /me
// DELETE /me: the browser's cookie is deleted with the ratings. Of the voter only its number and
// the last day on which it was active stay.
Result erase_own_ratings(const App& app, const Call& call);

}  // namespace api
