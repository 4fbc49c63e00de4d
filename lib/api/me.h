#pragma once

#include "api/call.h"

namespace api {

// Lets voters read and erase their data. REQUIRES: call.voter.
Result own_ratings(const App& app, const Call& call);  // GET /me
// DELETE /me: also deletes the browser's cookie. Only the voter's number and last active day stay
// stored.
Result erase_own_ratings(const App& app, const Call& call);

}  // namespace api
