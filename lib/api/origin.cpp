#include "api/origin.h"

#include <algorithm>
#include <string>

namespace api {
namespace {

bool contains(const std::vector<std::string>& origins, std::string_view origin) {
  return std::find(origins.begin(), origins.end(), origin) != origins.end();
}

bool is_allowed(std::string_view origin, const store::SiteState& site) {
  return contains(site.origins, origin) || contains(site.settings.allowed_origins, origin);
}

}  // namespace

bool is_foreign(const http::Request& request, const store::SiteState& site) {
  return request.has_origin && !is_allowed(request.origin, site);
}

bool may_change(const http::Request& request, const store::SiteState& site) {
  if (request.has_origin) return !is_foreign(request, site);
  return request.sec_fetch_site != "cross-site";
}

Error bad_origin(const store::SiteState& site) {
  std::vector<std::string> allowed;
  for (const auto* origins : {&site.origins, &site.settings.allowed_origins}) {
    for (const std::string& origin : *origins) {
      if (!contains(allowed, origin)) allowed.push_back(origin);
    }
  }
  Error error{ErrorCode::bad_origin};
  for (const std::string& origin : allowed) {
    error.message +=
        error.message.empty() ? "Requests from this origin are not allowed. Allowed: " : ", ";
    error.message += origin;
  }
  if (!allowed.empty()) error.message += '.';
  return error;
}

bool shows_browser(const http::Request& request) {
  return request.has_origin || !request.sec_fetch_site.empty();
}

bool is_allowed_third_party(const http::Request& request, const store::SiteState& site) {
  return request.has_origin && contains(site.settings.allowed_origins, request.origin) &&
         !contains(site.origins, request.origin) && request.sec_fetch_site != "same-site";
}

std::vector<http::Header> cors_headers(const http::Request& request, const store::SiteState& site,
                                       bool is_public) {
  if (!request.has_origin) return {};
  if (is_allowed(request.origin, site)) {
    return {{"Access-Control-Allow-Origin", std::string(request.origin)},
            {"Access-Control-Allow-Credentials", "true"}};
  }
  if (!is_public) return {};
  return {{"Access-Control-Allow-Origin", "*"}};
}

http::Response preflight(const http::Request& request, const store::SiteState& site,
                         const Match& match) {
  http::Response response;
  response.status = 204;
  const bool allowed = is_allowed(request.origin, site);
  if (!request.has_origin || !(allowed || match.has_public_read())) return response;
  response.headers = {
      {"Access-Control-Allow-Methods",
       allowed ? "OPTIONS, " + match.methods() : "OPTIONS, GET, HEAD"},
      // Foreign pages must not try passwords from their visitors' addresses.
      {"Access-Control-Allow-Headers",
       allowed ? "Authorization, Content-Type, Content-Disposition, Content-MD5, If-None-Match, "
                 "X-Requested-With, X-WP-Nonce, X-HTTP-Method-Override, X-Ratingd-Device"
               : "Content-Type, If-None-Match, X-Requested-With, X-Ratingd-Device"},
      {"Access-Control-Max-Age", "600"}};
  return response;
}

}  // namespace api
