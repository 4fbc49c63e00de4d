#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/request.h"
#include "identity/ticket.h"

namespace identity {

// A ticket as a request carries it, valid or not.
struct PresentedTicket {
  std::string_view token;   // part of the request; of several, any
  std::string key_name;     // Tickets::key_named_in()
  bool is_only_one = true;  // a request may have one only
};

// The ticket in the header X-Ratingd-Ticket, or the Bearer token if it names a key of ours, also a
// removed one. Any other Bearer token counts as absent: headless sites send their own.
[[nodiscard]] std::optional<PresentedTicket> presented_ticket(const http::Request& request,
                                                              const Tickets& tickets);

}  // namespace identity
