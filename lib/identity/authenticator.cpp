#include "identity/authenticator.h"

#include <utility>

#include "base/parse.h"

namespace identity {

std::optional<PresentedTicket> Authenticator::find_ticket(const http::Request& request) const {
  return presented_ticket(request, sources_.tickets);
}

tl::expected<Ticket, TicketError> Authenticator::verify(const PresentedTicket& presented,
                                                        std::span<const std::string> audiences,
                                                        base::Time now) {
  tl::expected<Ticket, TicketError> ticket = tl::unexpected(
      TicketError{ticket_reason::kTwoTickets, "A request may have one ticket only."});
  if (presented.is_only_one) ticket = sources_.tickets.check(presented.token, audiences, now);
  if (!ticket && refused_.passes(now)) {
    sources_.services.log.warning("ticket_refused", {{"reason", ticket.error().reason}});
  }
  return ticket;
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
    requester.visitor = sources_.services.sessions.with_session([&](db::Connection& connection) {
      return sources_.visitors.find(connection, ticket.visitor);
    });
    requester.is_visitor_stored = requester.visitor.has_value();
    if (!requester.visitor) {
      requester.visitor = voter_of_visitor(ticket.visitor, sources_.keys.front());
    }
  }
  requester.ticket = std::move(ticket);
  return requester;
}

}  // namespace identity
