#include "dispatch/admission.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "api/access.h"
#include "api/errors.h"
#include "api/fields.h"
#include "base/address.h"
#include "base/text.h"

namespace dispatch {
namespace {

constexpr std::chrono::days kOldCookie{30};

// --- Rate limits -------------------------------------------------------------------------------

base::Address sending_address(const api::Call& call) {
  return base::Address::parse(call.request.remote_address);
}

// Returns the address of the visitor. If a front end sent the request without the visitor's
// address, returns nothing. The ticket's key specifies whether browsers or servers send the ticket.
// Request headers can prove that the sender is a browser, but not that it is a server.
std::optional<base::Address> visitors_address(const api::Call& call) {
  const auto& ticket = call.requester.ticket;
  if (!ticket) return sending_address(call);
  if (ticket->address) return ticket->address;
  if (ticket->is_sent_by_browsers || api::shows_browser(call.request)) return sending_address(call);
  return std::nullopt;
}

// Returns the key that identifies the sender for the rate limit: the network of the visitor's
// address or, if the address is unknown, the issuer and the subject in the visitor's ticket.
std::string charged_sender(const api::Call& call) {
  if (const auto address = visitors_address(call)) return std::string(address->network());
  const model::FrontEndVisitor& visitor = call.requester.ticket->visitor;
  return "ticket " + visitor.issuer + " " + visitor.subject;
}

// Counts the request against the sender's rate limit and records the limit's state in "call".
// Returns an error if the rate limit is exceeded.
std::optional<api::Error> charge_sender(const api::App& app, api::Charge charge, api::Call& call) {
  if (charge == api::Charge::none) return std::nullopt;
  const model::Settings& settings = call.site.settings;
  const bool writes = charge == api::Charge::write;
  const int requests = writes ? settings.rate_limit_write : settings.rate_limit_read;
  const limit::Quota quota{static_cast<std::uint32_t>(requests), settings.rate_limit_window};
  const limit::Decision decision =
      app.voting.limiter.take(writes ? limit::Class::write : limit::Class::read,
                              charged_sender(call), quota, call.request.received_at);
  const limit::Limit limit{writes ? "write" : "read", quota};
  call.rate_limit = api::RateLimitState{limit, decision};
  if (decision.allowed) return std::nullopt;
  app.core.metrics.add(writes ? runtime::Count::limited_write : runtime::Count::limited_read);
  api::Error error{api::ErrorCode::rate_limited};
  error.refused_by = limit;
  error.retry_after = std::chrono::ceil<std::chrono::seconds>(decision.retry_after);
  error.message = base::Message("Too many requests from your network. Please try again in {time}.",
                                {{"time", error.retry_after}});
  return error;
}

// --- The requester -------------------------------------------------------------------------------

// Returns whether invalid login cookies are counted and limited on the route. Public analytics need
// no permission, but admit_user() checks the cookie before it applies the rate limit. Without a
// limit on invalid cookies, every request with such a cookie would read the database.
bool is_protected(const api::Route& route) {
  return api::needs_right(route) || route.access == api::Access::monitor ||
         route.access == api::Access::identified;
}

// Returns the request line in the form to which tickets are bound (identity::TicketBinding).
std::string request_line(const api::App& app, const http::Request& request) {
  // If the path does not begin with the configured base path, returns a line that no ticket
  // matches.
  if (!request.path.starts_with(app.core.base_path)) return {};
  std::string line(name_of(api::effective_method(request)));
  line.append(" ").append(request.path.substr(app.core.base_path.size()));
  if (!request.query.empty()) line.append("?").append(request.query);
  return line;
}

// The limit on rejected tickets with the same key from the same network. A front end can reach this
// limit if its clock is wrong.
constexpr limit::Limit kRefusedTickets{"ticket",
                                       {.requests = 300, .window = std::chrono::minutes(1)}};
constexpr auto kRefused = limit::Class::refused_ticket_of_network;

api::Error too_many_refused_tickets(const api::App& app, const limit::Decision& decision) {
  app.core.metrics.add(runtime::Count::limited_ticket);
  api::Error error{
      api::ErrorCode::rate_limited,
      base::Message("Too many tickets from your network were refused. Please try again later.")};
  error.refused_by = kRefusedTickets;
  error.retry_after = std::chrono::ceil<std::chrono::seconds>(decision.retry_after);
  return error;
}

// Records the request's ticket in "call". After too many rejected tickets with the same key from
// the same network, all further rejections have the status 429. A ticket that is cheap to verify is
// always verified, so that forged tickets from an address do not block valid tickets. Tickets that
// are costly to verify are rejected immediately after too many rejections.
std::optional<api::Error> read_ticket(const api::App& app, api::Call& call) {
  const auto presented = app.front.authenticator.find_ticket(call.request);
  if (!presented) return std::nullopt;
  if (call.site.addresses.empty()) return api::Error{api::ErrorCode::unavailable};
  const base::Time now = call.request.received_at;
  const std::string sender =
      presented->key_name + ' ' + std::string(sending_address(call).network());
  if (app.front.authenticator.is_costly(*presented)) {
    const auto decision = app.voting.limiter.peek(kRefused, sender, kRefusedTickets.quota, now);
    if (!decision.allowed) return too_many_refused_tickets(app, decision);
  }
  auto ticket = app.front.authenticator.verify(
      *presented, call.request, request_line(app, call.request), call.site.addresses);
  const std::string_view result = ticket ? identity::kTicketResults.front() : ticket.error().reason;
  app.core.metrics.add_ticket(presented->key_name, identity::index_of_ticket_result(result));
  if (ticket) {
    call.requester.ticket = *std::move(ticket);
    return std::nullopt;
  }
  const auto decision = app.voting.limiter.take(kRefused, sender, kRefusedTickets.quota, now);
  if (!decision.allowed) return too_many_refused_tickets(app, decision);
  return api::refused_ticket(std::move(ticket.error()));
}

void identify(const api::App& app, const api::Route& route, api::Call& call) {
  if (call.requester.ticket) {
    const auto address = visitors_address(call);
    call.requester = app.front.authenticator.identify(*std::move(call.requester.ticket));
    call.requester.address = address.value_or(base::Address());
    return;
  }
  call.requester = app.front.authenticator.identify(
      call.request, call.site.settings,
      is_protected(route) ? cms::Route::protected_ : cms::Route::open);
  if (call.requester.login.retry_after.count() > 0)
    app.core.metrics.add(runtime::Count::limited_login);
}

// Returns an error if the credentials are malformed or could not be checked.
std::optional<api::Error> refuse_credentials(const identity::Requester& requester) {
  if (requester.has_malformed_device_token) {
    return api::invalid_parameter(
        "X-Ratingd-Device", "rest_invalid_pattern",
        base::Message("The X-Ratingd-Device header must be 22 to 128 characters long. Only letters "
                      "(A-Z, a-z), digits, underscores and hyphens are allowed."));
  }
  // The password was not checked because too many password checks were running. Return an error,
  // because ignoring a correct password would attribute a vote to another voter.
  if (requester.login.is_overloaded) return api::Error{api::ErrorCode::unavailable};
  return std::nullopt;
}

// --- Monitors ------------------------------------------------------------------------------------

// Returns an error if neither a login nor a ticket identifies the requester as a monitor. Returns
// the no_route error if the authenticator is not ready yet.
std::optional<api::Error> identify_monitor(const api::App& app, const api::Route& route,
                                           api::Call& call) {
  if (!app.front.authenticator.is_ready()) return api::Error{api::ErrorCode::no_route};
  if (call.requester.ticket && !call.requester.may(model::Right::administer)) {
    return api::Error{api::ErrorCode::no_route};
  }
  try {
    identify(app, route, call);
  } catch (const db::ConnectionLost&) {
    return api::Error{api::ErrorCode::unavailable};
  }
  if (call.requester.login.is_overloaded) return api::Error{api::ErrorCode::unavailable};
  if (api::refuse_without(call.requester, model::Right::administer))
    return api::Error{api::ErrorCode::no_route};
  return std::nullopt;
}

// Routes with Access::monitor return the no_route error to requesters who are not monitors or who
// cannot be authenticated now. All other monitoring routes serve everybody, but return less data to
// requesters who are not monitors. The rate limit is applied before authentication, because
// authentication needs the database. Monitors identified by their address have no rate limit.
std::optional<api::Error> admit_monitor(const api::App& app, const api::Route& route,
                                        api::Call& call) {
  if (api::is_monitor_by_address(app.front, call)) {
    call.is_monitor = true;
    return std::nullopt;
  }
  if (auto refusal = charge_sender(app, route.charge, call)) return refusal;
  auto refusal = identify_monitor(app, route, call);
  call.is_monitor = !refusal;
  return route.access == api::Access::monitor ? std::move(refusal) : std::nullopt;
}

// --- Users with permissions ----------------------------------------------------------------------

std::optional<api::Error> refuse_right(const api::Route& route, const api::Call& call) {
  switch (route.access) {
    case api::Access::analytics:
      return api::refuse_analytics(call);
    case api::Access::all_persons:
      return api::refuse_persons(call, 0);
    case api::Access::one_person:
      return api::refuse_persons(call, api::parse_object_id(call.argument).value_or(0));
    case api::Access::moderator:
      if (!call.requester.may(model::Right::administer)) break;
      return api::refuse_without(call.requester, model::Right::see_persons);
    case api::Access::network:
      return api::refuse_without(call.requester, model::Right::administer_network);
    default:
      break;
  }
  return api::refuse_without(call.requester, model::Right::administer);
}

// Authenticates before applying the rate limit, because administrators are exempt from the rate
// limit. A ticket's permissions can be checked without the database.
std::optional<api::Error> admit_user(const api::App& app, const api::Route& route,
                                     api::Call& call) {
  if (call.requester.ticket && api::is_for_administrators(route)) {
    if (auto refusal = refuse_right(route, call)) return refusal;
  }
  identify(app, route, call);
  if (auto refusal = refuse_credentials(call.requester)) return refusal;
  if (api::refuse_without(call.requester, model::Right::administer)) {
    if (auto refusal = charge_sender(app, route.charge, call)) return refusal;
  }
  return refuse_right(route, call);
}

bool changes(http::Method method) {
  return method != http::Method::get && method != http::Method::head &&
         method != http::Method::options;
}

bool may_use(const api::Route& route, const api::Call& call) {
  if (route.access == api::Access::monitor) return call.is_monitor;
  if (route.access == api::Access::known_voter) return call.voter.has_value();
  return !api::needs_right(route) || !refuse_right(route, call);
}

// Applies the rate limit before identifying the requester, because these routes are open to
// everybody.
std::optional<api::Error> admit_identified(const api::App& app, const api::Route& route,
                                           api::Call& call) {
  if (auto refusal = charge_sender(app, route.charge, call)) return refusal;
  identify(app, route, call);
  return refuse_credentials(call.requester);
}

// --- Voters --------------------------------------------------------------------------------------

// Returns a new cookie for the voter if the current cookie is old enough to be renewed. If the
// request has cookies for several voters, a cookie may belong to another host. A cookie from
// another host is not renewed, because the renewed cookie would replace this host's own cookie.
std::optional<identity::VoterCookie> renewed(const identity::Requester& requester,
                                             const model::Settings& settings,
                                             std::chrono::sys_seconds now) {
  const std::chrono::seconds half_life = settings.voter_cookie_days / 2;
  const auto least_age = std::min<std::chrono::seconds>(kOldCookie, half_life);
  const bool is_old = now - requester.cookie->issued >= least_age;
  if (!is_old || requester.has_conflicting_cookies) return std::nullopt;
  return identity::VoterCookie{.voter = requester.cookie->voter, .issued = now};
}

// Returns how the voter is identified, for example by a cookie, a ticket or a network. A program
// without credentials is identified by its network. A browser without credentials counts as a new
// voter, because identical browsers with the same address may belong to different people.
model::IdentifiedBy identification_of(const api::Call& call) {
  const identity::Requester& requester = call.requester;
  if (const auto identified_by = requester.identified_by()) return *identified_by;
  const bool has_network = !requester.address.network().empty() && !call.site.network_salt.empty();
  return has_network && !api::shows_browser(call.request) ? model::IdentifiedBy::network
                                                          : model::IdentifiedBy::new_;
}

// Determines the voter, and the voter cookie that the response sets. A browser that sends a device
// token receives a cookie for the token's voter.
void choose_voter(const api::App& app, const api::Route& route, api::Call& call) {
  const identity::Requester& requester = call.requester;
  const auto now = std::chrono::floor<std::chrono::seconds>(call.request.received_at);
  call.voter = requester.voter();
  call.identified_by = identification_of(call);
  if (requester.cookie) {
    call.voter_cookie_to_send = renewed(requester, call.site.settings, now);
    return;
  }
  const bool uses_device_token = requester.device_voter && !api::shows_browser(call.request);
  if (route.access != api::Access::rater || requester.is_authenticated() || uses_device_token)
    return;
  if (call.identified_by == model::IdentifiedBy::network) return;
  if (!call.voter) call.voter = identity::voter_of_request(call.request.id, app.core.keys.front());
  call.voter_cookie_to_send = identity::VoterCookie{.voter = *call.voter, .issued = now};
}

// Returns whether the `blocked_networks` or `blocked_agents` setting prevents the sender from
// rating. The `blocked_networks` and `blocked_agents` settings do not prevent reading or
// withdrawing ratings.
bool is_blocked(const api::Call& call) {
  const model::Settings& settings = call.site.settings;
  const auto has_address = [&](const std::string& text) {
    const auto network = base::Network::parse(text);
    return network && network->contains(call.requester.address);
  };
  // The user agent in a request with a ticket may belong to the front end instead of the visitor's
  // browser.
  const auto has_agent = [&](const std::string& part) {
    return !call.requester.ticket && base::contains_ignoring_case(call.request.user_agent, part);
  };
  return std::ranges::any_of(settings.blocked_networks, has_address) ||
         std::ranges::any_of(settings.blocked_agents, has_agent);
}

// Returns an error if the requester is currently not allowed to rate anything.
std::optional<api::Error> refuse_to_rate(const api::Call& call) {
  const model::Settings& settings = call.site.settings;
  if (!settings.enabled) return api::Error{api::ErrorCode::disabled};
  if (is_blocked(call)) return api::Error{api::ErrorCode::blocked};
  // A ticket that the CMS has issued for its own requests does not name a voter.
  if (call.requester.ticket && !call.requester.voter()) {
    return api::Error{api::ErrorCode::forbidden,
                      base::Message("The ticket does not identify a voter.")};
  }
  if (!settings.require_login || call.requester.is_authenticated()) return std::nullopt;
  // If the web server itself requires a password, browsers also send this password to ratingd, so a
  // failed login does not mean that the visitor tried to log in. The password in a limited request
  // is not checked, so the error does not reveal whether the password is correct.
  const bool is_limited = call.requester.login.retry_after.count() > 0;
  if (is_limited && !api::shows_browser(call.request))
    return api::too_many_logins(call.requester.login);
  return api::Error{api::ErrorCode::not_logged_in};
}

// Returns the error for a vote that arrives while the vote queue is full. Identifies the voter
// without the database, for example by a cookie, so that only readers use the database sessions.
api::Error refuse_for_full_queue(const api::App& app, const api::Route& route, api::Call& call) {
  call.failure_of_vote = runtime::Count::vote_queue_full;
  if (call.requester.ticket) return api::Error{api::ErrorCode::unavailable};
  call.requester = identity::recognize(call.request, app.core.keys, call.site.settings);
  if (auto refusal = refuse_credentials(call.requester)) return *std::move(refusal);
  choose_voter(app, route, call);
  return api::Error{api::ErrorCode::unavailable};
}

std::optional<api::Error> admit_voter(const api::App& app, const api::Route& route,
                                      api::Call& call) {
  if (auto refusal = charge_sender(app, route.charge, call)) return refusal;
  if (route.charge == api::Charge::write && !app.voting.writer.has_room()) {
    return refuse_for_full_queue(app, route, call);
  }
  identify(app, route, call);
  if (auto refusal = refuse_credentials(call.requester)) return refusal;
  choose_voter(app, route, call);
  // The handler allows GET requests without a voter if the `optional` parameter is true.
  if (route.access == api::Access::known_voter && !call.voter && changes(call.request.method)) {
    return api::Error{api::ErrorCode::not_logged_in};
  }
  if (route.access != api::Access::rater) return std::nullopt;
  auto refusal = refuse_to_rate(call);
  if (!refusal && !call.requester.voter()) {
    app.core.metrics.record_vote_time(api::shows_browser(call.request), call.request.received_at);
  }
  return refusal;
}

// Returns the error for a site whose tables do not exist yet or could not be migrated.
api::Error unknown_site(const api::App& app) {
  const store::Tables tables = app.front.site.tables();
  const std::vector<base::MessageValue> command = {{"command", app.front.migrate_command}};
  if (tables == store::Tables::missing) {
    return {api::ErrorCode::unavailable,
            base::Message("This site’s tables do not exist yet. If the tables are not created "
                          "within a minute, ask the administrator to run: {command}",
                          command)};
  }
  if (tables == store::Tables::of_another_version) {
    return {api::ErrorCode::unavailable,
            base::Message("This site’s tables and the service have different versions. Ask the "
                          "administrator to run: {command}",
                          command)};
  }
  return {api::ErrorCode::unavailable};
}

}  // namespace

std::optional<api::Error> refuse_path(const api::App& app, const api::Match& match,
                                      const api::Route* route, bool is_site_known,
                                      api::Call& call) {
  const auto elsewhere = [&] {
    return api::Error{app.front.knows_sites ? api::ErrorCode::no_route
                                            : api::ErrorCode::unavailable};
  };
  if (match.routes.empty()) return elsewhere();
  // Monitors may use any host name, because they see no data about a site.
  const bool is_monitored = route != nullptr && route->is_for_monitoring;
  if (!is_site_known) {
    if (is_monitored) return std::nullopt;
    return unknown_site(app);
  }
  call.is_for_site = is_monitored || api::is_for_site(call.request, call.site, app.core.base_path);
  if (call.is_for_site) return std::nullopt;
  return elsewhere();
}

std::optional<api::Error> refuse_origin(const api::Route& route, const api::Call& call) {
  const bool has_rule =
      changes(call.request.method) && call.is_for_site && !api::is_safe_post(route);
  if (!has_rule) return std::nullopt;
  // Any page can have the "null" origin, so requests from this origin may vote but not make other
  // changes.
  const bool may_any_page = call.request.origin != "null" || api::is_for_voters(route);
  if (may_any_page && api::may_change(call.request, call.site)) return std::nullopt;
  return api::bad_origin(call.site);
}

std::string allowed_methods(const api::Match& match, const api::Call& call) {
  std::vector<const api::Route*> allowed;
  for (const api::Route* route : match.routes) {
    if (may_use(*route, call)) allowed.push_back(route);
  }
  return base::joined(allowed, ", ",
                      [](const api::Route* route) { return name_of(route->method); });
}

std::optional<api::Error> admit(const api::App& app, const api::Route& route, api::Call& call) {
  if (!api::is_shared(route)) {
    if (auto refusal = read_ticket(app, call)) return refusal;
  }
  if (route.is_for_monitoring) return admit_monitor(app, route, call);
  if (route.access == api::Access::anyone) return charge_sender(app, route.charge, call);
  if (route.access == api::Access::identified) return admit_identified(app, route, call);
  return api::is_for_voters(route) ? admit_voter(app, route, call) : admit_user(app, route, call);
}

}  // namespace dispatch
