#pragma once

#include <optional>

#include "api/app.h"
#include "api/call.h"
#include "api/rate_limit.h"
#include "api/routes.h"

namespace api {

// Finds out who asks and whose ratings are meant, which it notes in "call" with the cookie to be
// sent, and takes what the route costs from the sender's allowance, if it is limited. Returns why
// they may not have an answer, or nothing.
[[nodiscard]] std::optional<Error> admit(const App& app, const Route& route, Call& call,
                                         std::optional<Allowance>& allowance);

}  // namespace api
