#pragma once

#include <optional>
#include <string_view>

#include "http/request.h"
#include "identity/ticket.h"

namespace identity {

// A ticket as a request carries it, valid or not.
struct PresentedTicket {
  std::string_view token;   // part of the request; of several, any
  bool is_only_one = true;  // a request may have one only
};

// The ticket in the header X-Ratingd-Ticket, or the Bearer token if its issuer is one of ours.
// A Bearer token of another issuer counts as absent.
[[nodiscard]] std::optional<PresentedTicket> presented_ticket(const http::Request& request,
                                                              const Tickets& tickets);

}  // namespace identity
