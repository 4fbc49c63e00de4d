#pragma once

#include <vector>

#include "api/app.h"
#include "api/call.h"
#include "api/routes.h"
#include "http/request.h"
#include "store/site.h"

namespace dispatch {

// The response for "result", with all headers that depend on the request: caching, the voter's
// cookie, logins, the rate limit, Allow. Sends 304 if the client has the same answer.
[[nodiscard]] http::Response respond(const api::App& app, const api::Call& call,
                                     const api::Match& match, const api::Route* route,
                                     api::Result result);

// Clears everything that was found out about the sender before the request failed, so respond()
// does not reveal it.
void clear_findings(api::Call& call);

// Adds the headers of all responses, and CORS headers if "site" is known; drops the body for HEAD.
void add_common_headers(const http::Request& request, const api::Match& match,
                        const store::SiteState* site, http::Response& response);

// Whether "request" is a CORS preflight (WHATWG Fetch, "CORS-preflight request").
[[nodiscard]] bool is_preflight(const http::Request& request);

// What a page of another origin may do with a path.
struct CorsPath {
  bool is_public = false;      // the request reads or changes nothing without authorisation
  bool is_for_voters = false;  // the path has routes that identify voters
};

// The CORS headers of a response to "request".
[[nodiscard]] std::vector<http::Header> cors_headers(const http::Request& request,
                                                     const store::SiteState& site,
                                                     const CorsPath& path);

// The response to OPTIONS on a path with these routes, without the headers above.
[[nodiscard]] api::Answer preflight(const http::Request& request, const store::SiteState& site,
                                    const api::Match& match);

// Adds RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers): the quota and its
// window in seconds, the remaining requests ("r") and the seconds until the reset ("t").
void add_rate_limit_headers(const api::RateLimitState& rate_limit, http::Response& response);

}  // namespace dispatch
