#include "api/access.h"

#include <algorithm>
#include <string>

#include "api/origin.h"

namespace api {
namespace {

using model::AnalyticsAccess;

constexpr std::string_view kListUsers = "list_users";
constexpr std::string_view kEditOthersPosts = "edit_others_posts";

bool may(const App& app, const identity::Requester& requester, std::string_view capability) {
  return requester.user && app.authenticator.may(*requester.user, capability);
}

// The error for a requester without the right.
Error not_allowed(const identity::Requester& requester) {
  if (requester.user) return Error{ErrorCode::forbidden};
  if (requester.login_retry_after.count() > 0) return too_many_logins(requester.login_retry_after);
  return Error{requester.has_stale_nonce ? ErrorCode::invalid_nonce : ErrorCode::unauthenticated};
}

bool may_read_analytics(const App& app, const Call& call) {
  switch (call.site.settings.analytics_access) {
    case AnalyticsAccess::public_:
      return true;
    case AnalyticsAccess::authenticated:
      return call.requester.user.has_value();
    case AnalyticsAccess::editor:
      return may(app, call.requester, kEditOthersPosts);
    case AnalyticsAccess::administrator:
      break;
  }
  return may(app, call.requester, identity::kManageOptions);
}

}  // namespace

Error too_many_logins(std::chrono::seconds wait) {
  Error error{ErrorCode::rate_limited, "Too many logins have failed. Please try again in " +
                                           std::to_string(wait.count()) + " seconds."};
  error.retry_after = wait;
  return error;
}

bool is_monitor_by_address(const App& app, const Call& call) {
  const http::Request& request = call.request;
  if (is_foreign(request, call.site)) return false;
  const auto address = base::Address::parse(request.remote_address);
  if (address.is_loopback() && !request.is_forwarded) return true;
  return std::any_of(app.metrics_networks.begin(), app.metrics_networks.end(),
                     [&](const base::Network& network) { return network.contains(address); });
}

std::optional<Error> refuse_without(const App& app, const identity::Requester& requester,
                                    std::string_view capability) {
  if (may(app, requester, capability)) return std::nullopt;
  return not_allowed(requester);
}

std::optional<Error> refuse_analytics(const App& app, const Call& call) {
  if (may_read_analytics(app, call)) return std::nullopt;
  return not_allowed(call.requester);
}

std::optional<Error> refuse_persons(const App& app, const Call& call, std::uint64_t person) {
  if (person != 0 && call.requester.user && call.requester.user->id == person) return std::nullopt;
  if (may_read_analytics(app, call) && sees_persons(app, call)) return std::nullopt;
  return not_allowed(call.requester);
}

bool sees_persons(const App& app, const Call& call) { return may(app, call.requester, kListUsers); }

bool sees_unpublished(const App& app, const Call& call) {
  return may(app, call.requester, kEditOthersPosts);
}

}  // namespace api
