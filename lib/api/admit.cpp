#include "api/admit.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "api/access.h"
#include "api/blocked.h"
#include "api/errors.h"
#include "api/fields.h"
#include "api/origin.h"

namespace api {
namespace {

constexpr std::chrono::days kOldCookie{30};

// The voter's cookie with the time of now, if it is old enough to be renewed.
std::optional<identity::VoterCookie> renewed(const identity::VoterCookie& cookie,
                                             const model::Settings& settings,
                                             std::chrono::sys_seconds now) {
  const std::chrono::seconds half_life = settings.voter_cookie_life / 2;
  const auto least_age = std::min<std::chrono::seconds>(kOldCookie, half_life);
  if (now - cookie.issued < least_age) return std::nullopt;
  return identity::VoterCookie{.voter = cookie.voter, .issued = now};
}

// Finds out whose ratings are meant and which cookie the answer sends. A vote without any proof
// makes a new voter. Browsers that come with a device token get the cookie of its voter.
void choose_voter(const App& app, const Route& route, Call& call) {
  const identity::Requester& requester = call.requester;
  const auto now = std::chrono::floor<std::chrono::seconds>(call.request.received_at);
  call.voter = requester.voter();
  if (requester.cookie) {
    call.cookie = renewed(*requester.cookie, call.site.settings, now);
    return;
  }
  const bool keeps_token = requester.device_voter && !shows_browser(call.request);
  if (route.access != Access::rater || requester.user || keeps_token) return;
  if (!call.voter) call.voter = identity::voter_of_request(call.request.id, app.keys.front());
  call.cookie = identity::VoterCookie{.voter = *call.voter, .issued = now};
}

// Why the requester may not rate now, whatever the vote is.
std::optional<Error> refuse_to_rate(const Call& call) {
  const model::Settings& settings = call.site.settings;
  if (!settings.enabled) return Error{ErrorCode::disabled};
  if (is_blocked(call)) return Error{ErrorCode::blocked};
  if (!settings.require_login || call.requester.user) return std::nullopt;
  if (call.requester.login_retry_after.count() > 0)
    return too_many_logins(call.requester.login_retry_after);
  return Error{ErrorCode::not_logged_in};
}

Error malformed_device_token() {
  Error error{ErrorCode::invalid_parameters};
  error.fields.push_back(
      {"X-Ratingd-Device", "rest_invalid_pattern",
       "X-Ratingd-Device must be 22 to 128 characters of A-Z, a-z, 0-9, _ and -."});
  return error;
}

std::optional<Error> refuse_others(const App& app, const Call& call) {
  return refuse_without(app, call.requester, identity::kManageOptions);
}

// What decides about protected routes; nullptr for the public ones.
auto refusal_of(Access access) -> std::optional<Error> (*)(const App& app, const Call& call) {
  switch (access) {
    case Access::administrator:
      return refuse_others;
    case Access::analytics:
      return refuse_analytics;
    case Access::all_persons:
      return [](const App& app, const Call& call) { return refuse_persons(app, call, 0); };
    case Access::one_person:
      return [](const App& app, const Call& call) {
        return refuse_persons(app, call, parse_object_id(call.argument).value_or(0));
      };
    default:
      return nullptr;
  }
}

// Takes what the route costs from the sender's allowance. Returns that nothing was left.
std::optional<Error> take(const App& app, const Route& route, const Call& call,
                          std::optional<Allowance>& allowance) {
  allowance = take_allowance(app, call.request, call.site.settings, route.charge);
  if (!allowance) return std::nullopt;
  if (!allowance->decision.allowed) {
    app.metrics.add(route.charge == Charge::write ? base::Count::limited_write
                                                  : base::Count::limited_read);
  }
  return refusal_in(*allowance);
}

// Whether only some people may have an answer. Analytics are public where the setting says so.
bool is_protected(const Route& route, const Call& call) {
  const bool is_public = route.access == Access::analytics &&
                         call.site.settings.analytics_access == model::AnalyticsAccess::public_;
  return route.access == Access::monitor || (refusal_of(route.access) != nullptr && !is_public);
}

// Finds out who asks.
void identify(const App& app, const Route& route, Call& call) {
  using Guarded = identity::Authenticator::Route;
  call.requester =
      app.authenticator.identify(call.request, call.site.settings,
                                 is_protected(route, call) ? Guarded::protected_ : Guarded::open);
  if (call.requester.login_retry_after.count() > 0) app.metrics.add(base::Count::limited_login);
}

// Why who asks may not see how the service is. Nobody is looked up whose address says that they
// may, nor while nothing is known of the site's people.
std::optional<Error> refuse_to_show(const App& app, const Route& route, Call& call) {
  if (is_monitor_by_address(app, call)) return std::nullopt;
  if (!app.authenticator.is_ready()) return Error{ErrorCode::no_route};
  try {
    identify(app, route, call);
  } catch (const db::ConnectionLost&) {
    return Error{ErrorCode::unavailable};
  }
  if (call.requester.authentication_overloaded) return Error{ErrorCode::unavailable};
  if (refuse_others(app, call)) return Error{ErrorCode::no_route};
  return std::nullopt;
}

// Strangers, and those who cannot be told from them now, have no route that is for monitors alone,
// and are told less by the others.
std::optional<Error> admit_monitor(const App& app, const Route& route, Call& call) {
  auto refusal = refuse_to_show(app, route, call);
  call.is_monitor = !refusal;
  return route.access == Access::monitor ? std::move(refusal) : std::nullopt;
}

}  // namespace

std::optional<Error> admit(const App& app, const Route& route, Call& call,
                           std::optional<Allowance>& allowance) {
  if (route.charge != Charge::read_unless_admin) {
    if (auto refusal = take(app, route, call, allowance)) return refusal;
  }
  if (route.is_for_monitoring) return admit_monitor(app, route, call);
  if (route.access == Access::anyone) return std::nullopt;
  // While votes get nowhere, they must not take sessions from readers.
  if (route.charge == Charge::write && !app.vote_writer.has_room()) {
    app.metrics.add(base::Count::vote_queue_full);
    call.requester = identity::recognise(call.request, app.keys, call.site.settings);
    if (call.requester.has_malformed_device_token) return malformed_device_token();
    choose_voter(app, route, call);
    return Error{ErrorCode::unavailable};
  }
  identify(app, route, call);
  if (call.requester.has_malformed_device_token) return malformed_device_token();
  // A right password must not be taken for none: the vote would count for somebody else.
  if (call.requester.authentication_overloaded) return Error{ErrorCode::unavailable};
  if (route.charge == Charge::read_unless_admin && refuse_others(app, call)) {
    if (auto refusal = take(app, route, call, allowance)) return refusal;
  }
  if (const auto refuse = refusal_of(route.access)) return refuse(app, call);
  choose_voter(app, route, call);
  if (route.access == Access::rater) {
    auto refusal = refuse_to_rate(call);
    if (!refusal && !call.requester.voter()) {
      app.metrics.note_vote(shows_browser(call.request), call.request.received_at);
    }
    return refusal;
  }
  if (route.access == Access::known_voter && !call.voter) return Error{ErrorCode::not_logged_in};
  return std::nullopt;
}

}  // namespace api
