#include "api/access.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/origin.h"
#include "base/text.h"
#include "http/parse.h"

namespace api {
namespace {

using model::AnalyticsAccess;
using model::Right;

// Returns the error for a requester who lacks the required permission.
Error not_allowed(const identity::Requester& requester) {
  if (requester.is_authenticated()) return Error{ErrorCode::forbidden};
  if (requester.login.retry_after.count() > 0) return too_many_logins(requester.login);
  return Error{requester.login.has_stale_nonce ? ErrorCode::invalid_nonce
                                               : ErrorCode::unauthenticated};
}

bool contains(const std::vector<std::string>& origins, std::string_view origin) {
  return std::find(origins.begin(), origins.end(), origin) != origins.end();
}

bool is_added(std::string_view origin, const model::Settings& settings) {
  return contains(settings.allowed_origins, origin) ||
         (settings.allow_null_origin && origin == "null");
}

constexpr std::string_view kWww = "www.";

bool is_host_of(std::string_view host, const store::SiteState& site) {
  if (host.starts_with(kWww)) host.remove_prefix(kWww.size());
  return std::ranges::any_of(site.origins, [&](const std::string& origin) {
    std::string_view own = base::host_of(origin);
    if (own.starts_with(kWww)) own.remove_prefix(kWww.size());
    return base::equals_ignoring_case(own, host);
  });
}

bool is_path_of(std::string_view sent_path, std::string_view home, std::string_view base_path) {
  const std::string path = http::decoded_path(sent_path);
  std::string_view rest = path;
  if (rest.starts_with(base_path)) {
    rest.remove_prefix(base_path.size());
    if (rest.empty() || rest.front() == '/') return true;
  }
  // The URL stored by WordPress may or may not be percent-encoded.
  const std::string decoded_home = http::decoded_path(home);
  rest = path;
  if (!rest.starts_with(decoded_home)) return false;
  rest.remove_prefix(decoded_home.size());
  return rest.empty() || rest == "/" || rest == "/index.php";
}

}  // namespace

Error too_many_logins(const cms::LoginState& login) {
  Error error{ErrorCode::logins_limited,
              base::Message("Too many logins have failed. Please try again in {time}.",
                            {{"time", login.retry_after}})};
  error.retry_after = login.retry_after;
  error.refused_by = login.limit;
  return error;
}

Error refused_ticket(identity::TicketError error) {
  return {
      .code = ErrorCode::bad_ticket, .message = std::move(error.message), .reason = error.reason};
}

bool is_monitor_by_address(const Front& front, const Call& call) {
  const http::Request& request = call.request;
  if (is_foreign(request, call.site) || request.origin == "null") return false;
  const auto address = base::Address::parse(request.remote_address);
  if (address.is_loopback() && !request.is_forwarded) return true;
  return std::any_of(front.metrics_networks.begin(), front.metrics_networks.end(),
                     [&](const base::Network& network) { return network.contains(address); });
}

bool may_read_analytics(const Call& call) {
  // Administrators may always read analytics, even if their ticket grants no other permission.
  if (call.requester.may(Right::administer)) return true;
  const AnalyticsAccess access = call.site.settings.analytics_access;
  if (access == AnalyticsAccess::public_) return true;
  if (access == AnalyticsAccess::authenticated) return call.requester.is_authenticated();
  return access == AnalyticsAccess::editor && call.requester.may(Right::see_unpublished);
}

std::optional<Error> refuse_without(const identity::Requester& requester, Right right) {
  if (requester.may(right)) return std::nullopt;
  return not_allowed(requester);
}

std::optional<Error> refuse_analytics(const Call& call) {
  if (may_read_analytics(call)) return std::nullopt;
  Error error = not_allowed(call.requester);
  if (error.code == ErrorCode::unauthenticated &&
      call.site.settings.analytics_access == AnalyticsAccess::authenticated) {
    error.code = ErrorCode::not_logged_in;
  }
  return error;
}

std::optional<Error> refuse_persons(const Call& call, std::uint64_t person) {
  if (person != 0 && call.requester.user && call.requester.user->id == person) return std::nullopt;
  if (may_read_analytics(call) && call.requester.may(Right::see_persons)) return std::nullopt;
  return not_allowed(call.requester);
}

bool is_for_site(const http::Request& request, const store::SiteState& site,
                 std::string_view base_path) {
  if (site.is_of_network && !request.host.empty() && !site.origins.empty() &&
      !is_host_of(request.host, site)) {
    return false;
  }
  // If the `rest_route` parameter selected the route, request.path is not the path sent by the
  // client, so the sent path must be checked, too.
  return request.sent_path.empty() || request.sent_path == request.path || !site.home_path ||
         is_path_of(request.sent_path, *site.home_path, base_path);
}

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
  return {ErrorCode::bad_origin,
          base::Message("Requests from this origin are not allowed. Allowed: {names}.",
                        {{"names", base::joined(allowed)}})};
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
