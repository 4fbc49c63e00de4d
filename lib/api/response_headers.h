#pragma once

#include <vector>

#include "api/app.h"
#include "api/call.h"
#include "api/routes.h"
#include "http/request.h"
#include "store/site.h"

namespace api {

// The response for "result", with all headers that depend on the request: caching, the voter's
// cookie, logins, the rate limit, Allow. Sends 304 if the client has the same answer.
[[nodiscard]] http::Response respond(const App& app, const Call& call, const Match& match,
                                     const Route* route, Result result);

// Clears everything that was found out about the sender before the request failed, so respond()
// does not reveal it.
void clear_findings(Call& call);

// Adds the headers of all responses, and CORS headers if "site" is known; drops the body for HEAD.
void add_common_headers(const http::Request& request, const Match& match,
                        const store::SiteState* site, http::Response& response);

// The CORS headers of a response to "request"; "is_public": a read that needs no authorisation.
[[nodiscard]] std::vector<http::Header> cors_headers(const http::Request& request,
                                                     const store::SiteState& site, bool is_public);

// The response to OPTIONS on a path with these routes, without the headers above.
[[nodiscard]] Answer preflight(const http::Request& request, const store::SiteState& site,
                               const Match& match);

// Adds RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers): the quota and its
// window in seconds, the remaining requests ("r") and the seconds until the reset ("t").
void add_rate_limit_headers(const RateLimitState& rate_limit, http::Response& response);

}  // namespace api
