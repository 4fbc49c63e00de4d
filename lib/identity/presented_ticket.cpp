#include "identity/presented_ticket.h"

#include <utility>

#include "base/bytes.h"

namespace identity {
namespace {

// The token of an Authorization header (RFC 6750, section 2.1); empty for another scheme.
std::string_view bearer_in(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (!base::equals_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) return {};
  return base::trim(authorization.substr(kScheme.size()));
}

}  // namespace

std::optional<PresentedTicket> presented_ticket(const http::Request& request,
                                                const Tickets& tickets) {
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

}  // namespace identity
