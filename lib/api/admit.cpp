#include "api/admit.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "api/access.h"
#include "api/blocked.h"
#include "api/errors.h"
#include "api/fields.h"

namespace api {
namespace {

using http::Method;

constexpr std::chrono::days kOldCookie{30};

// Notes that a voter's cookie has come back, once in its life, and renews old cookies. Nothing if
// the cookie may stay as it is.
std::optional<identity::VoterCookie> renew_cookie(const App& app, const Call& call) {
  const auto& cookie = call.asker.cookie;
  if (!cookie) return std::nullopt;
  const auto now = std::chrono::floor<std::chrono::seconds>(call.request.received_at);
  const std::chrono::seconds half_life = call.site.settings.voter_cookie_life / 2;
  const bool is_old = now - cookie->issued >= std::min<std::chrono::seconds>(kOldCookie, half_life);
  if (cookie->seen && !is_old) return std::nullopt;
  if (!cookie->seen) {
    try {
      app.sessions.with_session([&](db::Connection& connection) {
        app.votes.forget_fingerprints_of(connection, cookie->voter);
      });
    } catch (const db::Conflict&) {
      return std::nullopt;  // somebody holds the row; the next request with this cookie tries again
    }
  }
  return identity::VoterCookie{.voter = cookie->voter, .issued = now, .seen = true};
}

// The voter that a request without a cookie still leads to.
std::optional<model::VoterId> voter_by_fingerprint(const App& app, const Call& call) {
  const std::string fingerprint =
      identity::fingerprint_of(call.asker.address, call.request.user_agent, app.keys.front());
  if (fingerprint.empty()) return std::nullopt;
  const base::Time since = call.request.received_at - call.site.settings.address_window;
  return app.sessions.with_session([&](db::Connection& connection) {
    return app.votes.voter_of(connection, fingerprint, since);
  });
}

// Why the asker may not rate now, whatever the vote is.
std::optional<Error> refuse_to_rate(const Call& call) {
  const model::Settings& settings = call.site.settings;
  if (!settings.enabled) return Error{ErrorCode::disabled};
  if (is_blocked(call)) return Error{ErrorCode::blocked};
  if (!settings.require_login || call.asker.user) return std::nullopt;
  if (call.asker.login_wait.count() > 0) return too_many_logins(call.asker.login_wait);
  return Error{ErrorCode::not_logged_in};
}

std::optional<Error> refuse_others(const App& app, const Call& call) {
  return refuse_without(app, call.asker, identity::kManageOptions);
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
  return route.access == Access::watcher || (refusal_of(route.access) != nullptr && !is_public);
}

// Finds out who asks.
void identify(const App& app, const Route& route, Call& call) {
  using Guarded = identity::Authenticator::Route;
  call.asker =
      app.authenticator.identify(call.request, call.site.settings,
                                 is_protected(route, call) ? Guarded::protected_ : Guarded::open);
  if (call.asker.login_wait.count() > 0) app.metrics.add(base::Count::limited_login);
}

// Why who asks may not see how the service is. Nobody is looked up whose address says that they
// may, nor while nothing is known of the site's people.
std::optional<Error> refuse_to_show(const App& app, const Route& route, Call& call) {
  if (is_watcher_by_address(app, call)) return std::nullopt;
  if (!app.authenticator.is_ready()) return Error{ErrorCode::no_route};
  try {
    identify(app, route, call);
  } catch (const db::ConnectionLost&) {
    return Error{ErrorCode::unavailable};
  }
  if (call.asker.is_unjudged) return Error{ErrorCode::unavailable};
  if (refuse_others(app, call)) return Error{ErrorCode::no_route};
  return std::nullopt;
}

// Strangers, and those who cannot be told from them now, have no route that is for watchers alone,
// and are told less by the others.
std::optional<Error> admit_to_watch(const App& app, const Route& route, Call& call) {
  auto refusal = refuse_to_show(app, route, call);
  call.is_watcher = !refusal;
  return route.access == Access::watcher ? std::move(refusal) : std::nullopt;
}

}  // namespace

std::optional<Error> admit(const App& app, const Route& route, Call& call,
                           std::optional<Allowance>& allowance,
                           std::optional<identity::VoterCookie>& renewed) {
  if (route.charge != Charge::guest) {
    if (auto refusal = take(app, route, call, allowance)) return refusal;
  }
  if (route.is_for_watching) return admit_to_watch(app, route, call);
  if (route.access == Access::anyone) return std::nullopt;
  // While votes get nowhere, they must not take sessions from readers.
  if (route.charge == Charge::write && !app.vote_writer.has_room()) {
    app.metrics.add(base::Count::vote_queue_full);
    return Error{ErrorCode::unavailable};
  }
  identify(app, route, call);
  // A right password must not be taken for none: the vote would count for somebody else.
  if (call.asker.is_unjudged) return Error{ErrorCode::unavailable};
  if (route.charge == Charge::guest && refuse_others(app, call)) {
    if (auto refusal = take(app, route, call, allowance)) return refusal;
  }
  if (const auto refuse = refusal_of(route.access)) return refuse(app, call);
  renewed = renew_cookie(app, call);
  call.voter = call.asker.voter();
  if (!call.voter && route.method == Method::delete_) call.voter = voter_by_fingerprint(app, call);
  if (route.access == Access::rater) return refuse_to_rate(call);
  if (route.access == Access::known_voter && !call.voter) return Error{ErrorCode::not_logged_in};
  return std::nullopt;
}

}  // namespace api
