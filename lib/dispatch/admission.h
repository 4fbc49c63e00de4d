#pragma once

#include <optional>

#include "api/app.h"
#include "api/call.h"
#include "api/routes.h"

namespace dispatch {

// DESIGN. Admission control. The order of the checks is part of the contract: path and site,
// origin, the ticket, rate limit of the address, authentication, authorisation, and the voter. A
// ticket is verified first, because it may name the address that is limited. The body is not
// read before, so a refused client learns nothing about its expected content. Authorisation and
// origins are in access.h.

// The error for a path that does not exist, that belongs to another site, or whose site has not
// been read yet ("is_site_known"). Monitors get an answer in any case, but none about a site.
// Records in "call" whether the path belongs to the site.
[[nodiscard]] std::optional<api::Error> refuse_path(const api::App& app, const api::Match& match,
                                                    const api::Route* route, bool is_site_known,
                                                    api::Call& call);

// The error for a request for "route" from an origin that is not allowed.
[[nodiscard]] std::optional<api::Error> refuse_origin(const api::Route& route,
                                                      const api::Call& call);

// Authenticates the requester, finds the voter, and charges the route's cost to the sender's rate
// limit if there is one. Records all of it in "call", with the cookie to be sent. Returns the error
// if the request is refused.
[[nodiscard]] std::optional<api::Error> admit(const api::App& app, const api::Route& route,
                                              api::Call& call);

// The methods of a path that the requester may use, as in the header Allow
// (rest_send_allow_header() in WordPress's rest-api.php): "GET, POST". An unidentified requester is
// nobody. Settings that close the rating for all have no effect.
[[nodiscard]] std::string allowed_methods(const api::Match& match, const api::Call& call);

}  // namespace dispatch
