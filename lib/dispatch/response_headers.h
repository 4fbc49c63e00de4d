#pragma once

#include <vector>

#include "api/app.h"
#include "api/call.h"
#include "api/routes.h"
#include "http/request.h"
#include "store/site.h"

namespace dispatch {

// Returns the response for "result" with all headers that depend on the request. Adds the headers
// for caching, the voter's cookie, logins, the rate limit and the allowed methods. The status is
// 304 if the client already has the same response.
[[nodiscard]] http::Response respond(const api::App& app, const api::Call& call,
                                     const api::Match& match, const api::Route* route,
                                     api::Result result);

// Removes all information about the sender from "call". Call this function after a failure, so that
// respond() reveals nothing about the sender.
void clear_findings(api::Call& call);

// Adds the headers that all responses have. Adds CORS headers if "site" is known. Removes the body
// from a response to HEAD.
void add_common_headers(const http::Request& request, const api::Match& match,
                        const store::SiteState* site, http::Response& response);

// Returns whether "request" is a CORS preflight (WHATWG Fetch, "CORS-preflight request").
[[nodiscard]] bool is_preflight(const http::Request& request);

// The properties of a path that determine what pages from other origins may do.
struct CorsPath {
  bool is_public = false;      // the request accesses only public data
  bool is_for_voters = false;  // the path has routes that identify voters
};

// Returns the CORS headers for a response to "request".
[[nodiscard]] std::vector<http::Header> cors_headers(const http::Request& request,
                                                     const store::SiteState& site,
                                                     const CorsPath& path);

// Returns the response to a CORS preflight, without the headers that add_common_headers() adds.
[[nodiscard]] api::Answer preflight(const http::Request& request, const store::SiteState& site,
                                    const api::Match& match);

}  // namespace dispatch
