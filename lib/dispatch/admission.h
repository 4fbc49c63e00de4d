#pragma once

#include <optional>

#include "api/app.h"
#include "api/call.h"
#include "api/routes.h"

namespace dispatch {

// DESIGN. Admission control. The following order of checks is part of the contract with clients:
// path and site, origin, ticket, rate limit for the address, authentication, authorization, voter.
// The ticket is verified before the rate limit is applied, because the ticket may contain the
// address for the rate limit. The body is read only after admission, so a rejected client learns
// nothing about the expected body. The functions that check origins and permissions are in
// api/access.h.

// Returns an error if the path does not exist, if it belongs to another site, or if the site's data
// has not been loaded yet ("is_site_known" is false). Otherwise, returns nothing. The responses of
// monitoring routes contain no data about a site, so for these routes, refuse_path() checks only
// whether the path exists. Records in "call" whether the path belongs to the site.
[[nodiscard]] std::optional<api::Error> refuse_path(const api::App& app, const api::Match& match,
                                                    const api::Route* route, bool is_site_known,
                                                    api::Call& call);

// Returns an error if the request for "route" comes from an origin that is not allowed. Otherwise,
// returns nothing.
[[nodiscard]] std::optional<api::Error> refuse_origin(const api::Route& route,
                                                      const api::Call& call);

// Authenticates the requester and finds the voter. If the route has a cost, counts the request
// against the sender's rate limit. Records the results in "call", including the cookie to send.
// Returns an error if the request is rejected.
[[nodiscard]] std::optional<api::Error> admit(const api::App& app, const api::Route& route,
                                              api::Call& call);

// Returns the methods that the requester may use on a path, such as "GET, POST". The Allow header
// contains the methods that this function returns (see rest_send_allow_header() in WordPress's
// rest-api.php). An unidentified requester is treated as anonymous. The list contains the methods
// for rating even if the settings disable rating for everybody.
[[nodiscard]] std::string allowed_methods(const api::Match& match, const api::Call& call);

}  // namespace dispatch
