#include "api/origin.h"

#include <algorithm>
#include <string>

namespace api {
namespace {

bool is_own(std::string_view origin, const store::SiteState& site) {
  return std::find(site.origins.begin(), site.origins.end(), origin) != site.origins.end();
}

}  // namespace

bool may_change(const http::Request& request, const store::SiteState& site) {
  if (!request.origin.empty()) return is_own(request.origin, site);
  return request.sec_fetch_site != "cross-site";
}

std::vector<http::Header> cors_headers(const http::Request& request, const store::SiteState& site,
                                       bool reads) {
  if (request.origin.empty()) return {};
  if (is_own(request.origin, site)) {
    return {{"Access-Control-Allow-Origin", std::string(request.origin)},
            {"Access-Control-Allow-Credentials", "true"}};
  }
  if (reads) return {{"Access-Control-Allow-Origin", "*"}};
  return {};
}

http::Response preflight(const http::Request& request, const store::SiteState& site,
                         const Match& match) {
  const bool own = is_own(request.origin, site);
  const bool reads = match.with(http::Method::get) != nullptr;
  http::Response response;
  response.status = 204;
  response.headers = cors_headers(request, site, reads);
  response.headers.push_back({"Allow", match.methods()});
  if (request.origin.empty() || !(own || reads)) return response;
  response.headers.push_back(
      {"Access-Control-Allow-Methods", own ? "OPTIONS, " + match.methods() : "OPTIONS, GET, HEAD"});
  response.headers.push_back({"Access-Control-Allow-Headers",
                              "Authorization, Content-Type, X-WP-Nonce, X-HTTP-Method-Override"});
  response.headers.push_back({"Access-Control-Max-Age", "600"});
  return response;
}

}  // namespace api
