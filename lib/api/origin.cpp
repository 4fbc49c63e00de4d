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
  if (request.has_origin) return is_own(request.origin, site);
  return request.sec_fetch_site != "cross-site";
}

std::vector<http::Header> cors_headers(const http::Request& request, const store::SiteState& site) {
  if (!request.has_origin) return {};
  if (is_own(request.origin, site)) {
    return {{"Access-Control-Allow-Origin", std::string(request.origin)},
            {"Access-Control-Allow-Credentials", "true"}};
  }
  const bool changes =
      request.method == http::Method::post || request.method == http::Method::delete_;
  if (changes) return {};
  return {{"Access-Control-Allow-Origin", "*"}};
}

http::Response preflight(const http::Request& request, const store::SiteState& site,
                         const Match& match) {
  http::Response response;
  response.status = 204;
  const bool own = is_own(request.origin, site);
  const bool reads = match.with(http::Method::get) != nullptr;
  if (!request.has_origin || !(own || reads)) return response;
  response.headers = {
      {"Access-Control-Allow-Methods", own ? "OPTIONS, " + match.methods() : "OPTIONS, GET, HEAD"},
      {"Access-Control-Allow-Headers",
       "Authorization, Content-Type, Content-Disposition, Content-MD5, If-None-Match, "
       "X-Requested-With, X-WP-Nonce, X-HTTP-Method-Override"},
      {"Access-Control-Max-Age", "600"}};
  return response;
}

}  // namespace api
