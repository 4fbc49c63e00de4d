#include "identity/presented_ticket.h"

#include "base/bytes.h"

namespace identity {
namespace {

// The token of an Authorization header (RFC 6750, section 2.1); empty for another scheme.
std::string_view bearer_in(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (!base::equals_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) return {};
  return base::trim(authorization.substr(kScheme.size()));
}

bool has_bearer_of_ours(const http::Request& request, const Tickets& tickets) {
  const std::string_view bearer = bearer_in(request.authorization);
  return !bearer.empty() && tickets.is_of_known_issuer(bearer);
}

}  // namespace

bool presents_ticket(const http::Request& request, const Tickets& tickets) {
  return request.has_ticket || has_bearer_of_ours(request, tickets);
}

tl::expected<std::optional<Ticket>, TicketError> presented_ticket(
    const http::Request& request, const Tickets& tickets, std::span<const std::string> audiences) {
  const bool has_bearer = has_bearer_of_ours(request, tickets);
  if (!has_bearer && !request.has_ticket) return std::nullopt;
  // Web servers join repeated headers with a comma.
  if (request.has_two_tickets || (has_bearer && request.has_ticket) ||
      request.ticket.find(',') != std::string_view::npos) {
    return tl::unexpected(
        TicketError{ticket_reason::kTwoTickets, "A request may have one ticket only."});
  }
  auto ticket = tickets.check(
      request.has_ticket ? base::trim(request.ticket) : bearer_in(request.authorization), audiences,
      request.received_at);
  if (!ticket) return tl::unexpected(std::move(ticket.error()));
  return *std::move(ticket);
}

}  // namespace identity
