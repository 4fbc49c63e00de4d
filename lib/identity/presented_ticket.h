#pragma once

#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "http/request.h"
#include "identity/ticket.h"

namespace identity {

// Whether "request" has a ticket, valid or not: the header X-Ratingd-Ticket, or a Bearer token
// whose issuer is one of ours.
[[nodiscard]] bool presents_ticket(const http::Request& request, const Tickets& tickets);

// The ticket that "request" presents in the header X-Ratingd-Ticket, or as a Bearer token whose
// issuer is one of ours; nothing without one. A Bearer token of another issuer counts as absent.
// "audiences": the addresses of the site, at
// least one. Errors: there is a ticket, but it does not count.
[[nodiscard]] tl::expected<std::optional<Ticket>, TicketError> presented_ticket(
    const http::Request& request, const Tickets& tickets, std::span<const std::string> audiences);

}  // namespace identity
