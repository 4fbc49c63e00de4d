#include "identity/authenticator.h"

#include <utility>

#include "base/text.h"
#include "config/cms.h"

namespace identity {
namespace {

// Returns the token in an Authorization header (RFC 6750, section 2.1). Empty for other schemes.
std::string_view bearer_in(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (!base::equals_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) return {};
  return base::trim(authorization.substr(kScheme.size()));
}

}  // namespace

std::optional<PresentedTicket> Authenticator::find_ticket(const http::Request& request) const {
  const Tickets& tickets = sources_.tickets;
  const std::string_view bearer = bearer_in(request.authorization);
  std::string key_of_bearer = tickets.key_named_in(bearer);
  const bool has_bearer = !key_of_bearer.empty();
  if (!request.has_ticket) {
    if (!has_bearer) return std::nullopt;
    return PresentedTicket{bearer, std::move(key_of_bearer)};
  }
  // Web servers join repeated headers with a comma.
  const bool has_several =
      has_bearer || request.has_two_tickets || request.ticket.find(',') != std::string_view::npos;
  const std::string_view token = base::trim(request.ticket);
  return PresentedTicket{token, tickets.key_named_in(token), !has_several};
}

tl::expected<Ticket, TicketError> Authenticator::verify(const PresentedTicket& presented,
                                                        const http::Request& request,
                                                        std::string_view line,
                                                        std::span<const std::string> audiences) {
  const base::Time now = request.received_at;
  tl::expected<Ticket, TicketError> ticket =
      tl::unexpected(TicketError{"two_tickets", "A request may have one ticket only."});
  if (presented.is_only_one) ticket = sources_.tickets.check(presented.token, audiences, now);
  if (ticket) {
    if (auto refusal = refuse_request(*ticket, request, line)) {
      ticket = tl::unexpected(*std::move(refusal));
    }
  }
  if (!ticket && refused_.passes(now)) {
    sources_.services.log.warning("ticket_refused", {{"reason", ticket.error().reason}});
  }
  return ticket;
}

// Returns the error for a request that does not match its bound ticket. The ticket is used last, so
// a request that does not match does not use it up.
std::optional<TicketError> Authenticator::refuse_request(const Ticket& ticket,
                                                         const http::Request& request,
                                                         std::string_view line) const {
  if (!ticket.binding) {
    if (!config::cms_named(ticket.visitor.issuer)) return std::nullopt;
    return TicketError{
        "unbound",
        "Tickets of the CMS are valid for one request. Add \"request\", \"body\" and "
        "\"jti\" (docs/headless.md, \"Bound tickets\")."};
  }
  const TicketBinding& binding = *ticket.binding;
  if (binding.request != line) {
    return TicketError{"other_request",
                       "The ticket is for a request with another method, path or query."};
  }
  SignedBody body(binding);
  if (!request.body_too_large &&
      (!(request.body.empty() || body.continues_with(request.body)) || !body.continues_with(""))) {
    return other_body();
  }
  const auto use = sources_.used_tickets.use(ticket.visitor.issuer, binding.nonce, request.id,
                                             request.received_at);
  if (use == UsedTickets::Use::allowed) return std::nullopt;
  if (use == UsedTickets::Use::used) {
    return TicketError{"used", "The ticket was used before. Make a new one for each request."};
  }
  return TicketError{"too_many", "Too many tickets were used within a minute. Make a new one."};
}

Requester Authenticator::identify(const http::Request& request, const model::Settings& settings,
                                  cms::Route route) {
  Requester requester = recognise(request, sources_.keys, settings);
  cms::Identification identification = sources_.cms.identify(request, route, sources_.services);
  requester.user = identification.user;
  requester.login = std::move(identification.login);
  return requester;
}

Requester Authenticator::identify(Ticket ticket) const {
  Requester requester;
  if (ticket.is_of_cms_users) {
    const auto id = base::parse_number<std::uint64_t>(ticket.visitor.subject);
    if (id.value_or(0) != 0) requester.user = cms::User{*id, ticket.rights};
  } else {
    requester.visitor = sources_.services.sessions.with_session(
        [&](db::Connection& connection) { return store::find_voter(connection, ticket.visitor); });
    requester.is_visitor_stored = requester.visitor.has_value();
    if (!requester.visitor) {
      requester.visitor = voter_of_visitor(ticket.visitor, sources_.keys.front());
    }
  }
  requester.ticket = std::move(ticket);
  return requester;
}

}  // namespace identity
