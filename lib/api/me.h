#pragma once

#include "api/call.h"

namespace api {

// People's right to see and to erase what is stored of them. REQUIRES: call.voter.
Result own_ratings(const App& app, const Call& call);  // GET /me
// DELETE /me: with the ratings go the fingerprint and the browser's cookie. What stays of the voter
// is a random number that nobody has any more, and the last day on which it was active.
Result erase_own_ratings(const App& app, const Call& call);

}  // namespace api
