#pragma once

#include <vector>

#include "api/app.h"
#include "api/call.h"
#include "api/routes.h"
#include "http/request.h"
#include "http/response.h"
#include "store/site.h"

namespace api {

// The response for "result" of "route", or of what refused it, with all headers that depend on who
// asks for what: caching, the voter's cookie, logins, the rate limit, Allow. A client that has the
// same answer already gets 304 instead. Takes of "match" and "call" what is known of the request.
[[nodiscard]] http::Response respond(const App& app, const Call& call, const Match& match,
                                     const Route* route, Result result);

// Forgets what was found out about the sender of a request that failed then: respond() tells
// nothing of it.
void forget_findings(Call& call);

// Adds the headers that all responses have, with CORS if "site" is known; drops the body of HEAD.
void add_common_headers(const http::Request& request, const Match& match,
                        const store::SiteState* site, http::Response& response);

// The CORS headers of an answer to "request"; "is_public" if it is a read that needs no right.
[[nodiscard]] std::vector<http::Header> cors_headers(const http::Request& request,
                                                     const store::SiteState& site, bool is_public);

// The answer to OPTIONS on a path with these routes, but for the headers above.
[[nodiscard]] Answer preflight(const http::Request& request, const store::SiteState& site,
                               const Match& match);

// Adds RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers): how much is allowed
// in how many seconds, how much is left ("r") and when more will be ("t").
void add_rate_limit_headers(const Allowance& allowance, http::Response& response);

}  // namespace api
