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

// A ticket as a request carries it, valid or not.
struct PresentedTicket {
  std::string_view token;   // part of the request; of several, any
  std::string key_name;     // Tickets::key_named_in()
  bool is_only_one = true;  // a request may have one only
};

// Finds out who sent a request: by a ticket, or else by what the CMS knows of its users
// (cms::Cms::identify) and ratingd of its anonymous voters.
//
// Safe for concurrent use.
class Authenticator {
 public:
  // All must outlive this object.
  struct Sources {
    const KeyRing& keys;
    const Tickets& tickets;
    UsedTickets& used_tickets;
    cms::Cms& cms;
    cms::LoginServices services;
    runtime::Metrics& metrics;
  };
  explicit Authenticator(const Sources& sources) : sources_(sources) {}

  // Whether the CMS's users can be identified.
  [[nodiscard]] bool is_ready() const { return sources_.cms.is_ready(); }

  // The ticket in the header X-Ratingd-Ticket, or the Bearer token if it names a key of ours, also
  // a removed one. Any other Bearer token counts as absent: headless sites send their own.
  [[nodiscard]] std::optional<PresentedTicket> find_ticket(const http::Request& request) const;

  // Whether it takes long to verify "presented".
  [[nodiscard]] bool is_costly(const PresentedTicket& presented) const {
    return sources_.tickets.is_costly(presented.key_name);
  }

  // Verifies "presented" for "request", which bound tickets name as "line"; needs no database. A
  // large body is not read: the handler compares it with the ticket's binding before it uses it
  // (SignedBody). "audiences": the addresses of the site, at least one. Errors: the ticket
  // is invalid; logged once a minute.
  [[nodiscard]] tl::expected<Ticket, TicketError> verify(const PresentedTicket& presented,
                                                         const http::Request& request,
                                                         std::string_view line,
                                                         std::span<const std::string> audiences);

  // The sender of a request without a ticket. REQUIRES: is_ready(). Errors: as db::Pool.
  [[nodiscard]] Requester identify(const http::Request& request, const model::Settings& settings,
                                   cms::Route route);

  // The sender of a request with "ticket", without the address. Errors: as db::Pool.
  [[nodiscard]] Requester identify(Ticket ticket) const;

 private:
  [[nodiscard]] std::optional<TicketError> refuse_request(const Ticket& ticket,
                                                          const http::Request& request,
                                                          std::string_view line) const;
  void count_unbound(const Ticket& ticket, base::Time now);

  const Sources sources_;
  runtime::OnceAMinute refused_, unbound_;  // tickets that are logged
};

}  // namespace identity
