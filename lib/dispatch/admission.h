#pragma once

#include <optional>

#include "api/app.h"
#include "api/call.h"
#include "api/routes.h"

namespace dispatch {

// DESIGN. Admission control. The order of the checks is part of the contract: path and site,
// origin, ticket, rate limit for the address, authentication, authorisation, voter. The ticket is
// verified before the rate limit because it may name the address that is limited. The body is not
// read before admission, so a refused client learns nothing about its expected content. Origins and
// permissions are checked in api/access.h.

// Returns an error if the path does not exist, if it belongs to another site, or if its site has
// not been read yet ("is_site_known" is false). Otherwise, returns nothing. Monitoring routes on
// existing paths are never refused, because monitors receive no data about a site. Records in
// "call" whether the path belongs to the site.
[[nodiscard]] std::optional<api::Error> refuse_path(const api::App& app, const api::Match& match,
                                                    const api::Route* route, bool is_site_known,
                                                    api::Call& call);

// Returns an error if the request for "route" comes from an origin that is not allowed. Otherwise,
// returns nothing.
[[nodiscard]] std::optional<api::Error> refuse_origin(const api::Route& route,
                                                      const api::Call& call);

// Authenticates the requester and finds the voter. If the route has a cost, counts the request
// against the sender's rate limit. Records the results in "call", including the cookie to send.
// Returns an error if the request is refused.
[[nodiscard]] std::optional<api::Error> admit(const api::App& app, const api::Route& route,
                                              api::Call& call);

// Returns the methods on a path that the requester may use, such as "GET, POST". These are the
// methods for the Allow header (rest_send_allow_header() in WordPress's rest-api.php). A requester
// who is not identified counts as a stranger. Settings that disable rating for everybody have no
// effect here.
[[nodiscard]] std::string allowed_methods(const api::Match& match, const api::Call& call);

}  // namespace dispatch
