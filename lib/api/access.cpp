#include "api/access.h"

#include <algorithm>

#include "api/origin.h"

namespace api {
namespace {

using model::AnalyticsAccess;
using model::Right;

// The error for a requester without the right.
Error not_allowed(const identity::Requester& requester) {
  if (requester.is_authenticated()) return Error{ErrorCode::forbidden};
  if (requester.login.retry_after.count() > 0) return too_many_logins(requester.login.retry_after);
  return Error{requester.login.has_stale_nonce ? ErrorCode::invalid_nonce
                                               : ErrorCode::unauthenticated};
}

}  // namespace

Error too_many_logins(std::chrono::seconds wait) {
  Error error{
      ErrorCode::rate_limited,
      base::Message("Too many logins have failed. Please try again in {time}.", {{"time", wait}})};
  error.retry_after = wait;
  return error;
}

bool is_monitor_by_address(const App& app, const Call& call) {
  const http::Request& request = call.request;
  if (is_foreign(request, call.site) || request.origin == "null") return false;
  const auto address = base::Address::parse(request.remote_address);
  if (address.is_loopback() && !request.is_forwarded) return true;
  return std::any_of(app.metrics_networks.begin(), app.metrics_networks.end(),
                     [&](const base::Network& network) { return network.contains(address); });
}

bool may_read_analytics(const Call& call) {
  const AnalyticsAccess access = call.site.settings.analytics_access;
  if (access == AnalyticsAccess::public_) return true;
  if (access == AnalyticsAccess::authenticated) return call.requester.is_authenticated();
  return call.requester.may(access == AnalyticsAccess::editor ? Right::see_unpublished
                                                              : Right::administer);
}

std::optional<Error> refuse_without(const identity::Requester& requester, Right right) {
  if (requester.may(right)) return std::nullopt;
  return not_allowed(requester);
}

std::optional<Error> refuse_analytics(const Call& call) {
  if (may_read_analytics(call)) return std::nullopt;
  return not_allowed(call.requester);
}

std::optional<Error> refuse_persons(const Call& call, std::uint64_t person) {
  if (person != 0 && call.requester.user && call.requester.user->id == person) return std::nullopt;
  if (may_read_analytics(call) && call.requester.may(Right::see_persons)) return std::nullopt;
  return not_allowed(call.requester);
}

}  // namespace api
