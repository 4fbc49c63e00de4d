#pragma once

#include <optional>

#include "api/app.h"
#include "api/call.h"
#include "api/routes.h"

namespace api {

// DESIGN. Who may ask for what, and what it costs them. The order is part of the contract: the path
// and the site, the origin, the allowance of the address, who asks, their right, and whose ratings
// are meant. Nothing of a body is read before, so a stranger learns nothing of what it should be.
// The rights themselves stand in access.h, origins in origin.h.

// Why nothing is said of the path that "match" is of: there is none, it is of another site, or
// nothing is known of the site yet ("is_site_known"). Monitors, who are told nothing of a site, are
// answered all the same. Notes in "call" whether the path is one of the site.
[[nodiscard]] std::optional<Error> refuse_path(const App& app, const Match& match,
                                               const Route* route, bool is_site_known, Call& call);

// Why the request may not come from the page that it comes from.
[[nodiscard]] std::optional<Error> refuse_origin(const Call& call);

// Finds out who asks and whose ratings are meant, and takes what the route costs from the sender's
// allowance, if it is limited: all of it is noted in "call", with the cookie to be sent. Returns
// why they may not have an answer, or nothing.
[[nodiscard]] std::optional<Error> admit(const App& app, const Route& route, Call& call);

}  // namespace api
