#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "cms/cms.h"
#include "http/request.h"
#include "identity/requester.h"
#include "identity/secrets.h"
#include "identity/ticket.h"
#include "identity/used_tickets.h"
#include "model/settings.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "store/front_end_visitors.h"

namespace identity {

// A ticket that came with a request. It may be invalid.
struct PresentedTicket {
  std::string_view token;   // part of the request; one of the tickets if there are several
  std::string key_name;     // the result of Tickets::key_named_in()
  bool is_only_one = true;  // if false, the request is refused
};

// Finds out who sent a request. A ticket takes precedence. Without a ticket, the sender is a user
// whom the CMS recognizes (cms::Cms::identify), an anonymous voter, or nobody.
//
// Safe for concurrent use.
class Authenticator {
 public:
  // All members must outlive this object.
  struct Sources {
    const KeyRing& keys;
    const Tickets& tickets;
    UsedTickets& used_tickets;
    cms::Cms& cms;
    cms::LoginServices services;
    runtime::Metrics& metrics;
  };
  explicit Authenticator(const Sources& sources) : sources_(sources) {}

  // Returns whether users of the CMS can be identified.
  [[nodiscard]] bool is_ready() const { return sources_.cms.is_ready(); }

  // Returns the ticket in the header X-Ratingd-Ticket. A Bearer token also counts as a ticket if it
  // names one of our keys, even a removed key. Any other Bearer token is ignored because headless
  // sites send their own tokens.
  [[nodiscard]] std::optional<PresentedTicket> find_ticket(const http::Request& request) const;

  // Returns whether verifying "presented" takes long.
  [[nodiscard]] bool is_costly(const PresentedTicket& presented) const {
    return sources_.tickets.is_costly(presented.key_name);
  }

  // Verifies "presented". A bound ticket must name "request" as "line". Reads no database. A large
  // body is not read here: the handler compares the body with the ticket's binding before it uses
  // the body (SignedBody). "audiences" contains the addresses of the site, at least one. Errors:
  // the ticket is invalid, which is logged at most once a minute.
  [[nodiscard]] tl::expected<Ticket, TicketError> verify(const PresentedTicket& presented,
                                                         const http::Request& request,
                                                         std::string_view line,
                                                         std::span<const std::string> audiences);

  // Returns the sender of a request without a ticket. REQUIRES: is_ready(). Errors: as db::Pool.
  [[nodiscard]] Requester identify(const http::Request& request, const model::Settings& settings,
                                   cms::Route route);

  // Returns the sender of a request with "ticket". Does not set the sender's address.
  // Errors: as db::Pool.
  [[nodiscard]] Requester identify(Ticket ticket) const;

 private:
  [[nodiscard]] std::optional<TicketError> refuse_request(const Ticket& ticket,
                                                          const http::Request& request,
                                                          std::string_view line) const;

  const Sources sources_;
  runtime::OnceAMinute refused_;  // limits the log events
};

}  // namespace identity
