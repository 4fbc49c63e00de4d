#pragma once

#include <optional>

#include "api/app.h"
#include "api/call.h"
#include "api/rate_limit.h"
#include "api/routes.h"
#include "identity/voter_cookie.h"

namespace api {

// Finds out who asks, which it notes in "call", and takes what the route costs from the sender's
// allowance, if it is limited. "renewed" becomes the voter's cookie if it is to be sent anew.
// Returns why they may not have an answer, or nothing.
[[nodiscard]] std::optional<Error> admit(const App& app, const Route& route, Call& call,
                                         std::optional<Allowance>& allowance,
                                         std::optional<identity::VoterCookie>& renewed);

}  // namespace api
