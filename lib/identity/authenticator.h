#pragma once

#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "base/once_a_minute.h"
#include "cms/cms.h"
#include "http/request.h"
#include "identity/requester.h"
#include "identity/secrets.h"
#include "identity/ticket.h"
#include "model/settings.h"
#include "store/visitors.h"

namespace identity {

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
    const store::VisitorStore& visitors;
    cms::Cms& cms;
    cms::LoginServices services;
  };
  explicit Authenticator(const Sources& sources) : sources_(sources) {}

  // Whether the CMS's users can be identified.
  [[nodiscard]] bool is_ready() const { return sources_.cms.is_ready(); }

  // Whether "request" has a ticket, valid or not.
  [[nodiscard]] bool has_ticket(const http::Request& request) const;

  // The ticket of "request", if it has one; needs no database. "audiences": the addresses of the
  // site, at least one. Errors: the ticket does not count; logged once a minute.
  [[nodiscard]] tl::expected<std::optional<Ticket>, TicketError> read_ticket(
      const http::Request& request, std::span<const std::string> audiences);

  // The sender of a request without a ticket. REQUIRES: is_ready(). Errors: as db::Pool.
  [[nodiscard]] Requester identify(const http::Request& request, const model::Settings& settings,
                                   cms::Route route);

  // The sender of a request with "ticket", without the address. Errors: as db::Pool.
  [[nodiscard]] Requester identify(Ticket ticket) const;

 private:
  const Sources sources_;
  base::OnceAMinute refused_;  // tickets that are logged
};

}  // namespace identity
