#include "api/origin.h"

#include <algorithm>
#include <string>
#include <vector>

namespace api {
namespace {

bool contains(const std::vector<std::string>& origins, std::string_view origin) {
  return std::find(origins.begin(), origins.end(), origin) != origins.end();
}

// Whether the settings allow "origin".
bool is_added(std::string_view origin, const model::Settings& settings) {
  return contains(settings.allowed_origins, origin) ||
         (settings.allow_null_origin && origin == "null");
}

}  // namespace

bool is_allowed_origin(std::string_view origin, const store::SiteState& site) {
  return contains(site.origins, origin) || is_added(origin, site.settings);
}

bool is_foreign(const http::Request& request, const store::SiteState& site) {
  return request.has_origin && !is_allowed_origin(request.origin, site);
}

bool may_change(const http::Request& request, const store::SiteState& site) {
  if (request.has_origin) return !is_foreign(request, site);
  return request.sec_fetch_site != "cross-site";
}

Error bad_origin(const store::SiteState& site) {
  std::vector<std::string> allowed;
  for (const std::string& origin : site.origins) {
    if (!contains(allowed, origin)) allowed.push_back(origin);
  }
  for (const std::string& origin : site.settings.allowed_origins) {
    if (!contains(site.origins, origin)) allowed.push_back(origin);
  }
  if (allowed.empty()) return {ErrorCode::bad_origin};
  std::string names;
  for (const std::string& origin : allowed) names.append(names.empty() ? "" : ", ").append(origin);
  return {ErrorCode::bad_origin,
          base::Message("Requests from this origin are not allowed. Allowed: {names}.",
                        {{"names", names}})};
}

bool shows_browser(const http::Request& request) {
  return request.has_origin || !request.sec_fetch_site.empty();
}

bool opens_login_dialog(const http::Request& request) {
  return shows_browser(request) || !request.requested_with.empty() ||
         request.accept.find("application/xhtml+xml") != std::string_view::npos;
}

bool is_allowed_third_party(const http::Request& request, const store::SiteState& site) {
  return request.has_origin && is_added(request.origin, site.settings) &&
         !contains(site.origins, request.origin) && request.sec_fetch_site != "same-site";
}

}  // namespace api
