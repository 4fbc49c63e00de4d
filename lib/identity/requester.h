#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/address.h"
#include "base/clock.h"
#include "cms/cms.h"
#include "http/request.h"
#include "identity/secrets.h"
#include "identity/ticket.h"
#include "model/rating.h"
#include "model/settings.h"
#include "runtime/log.h"
#include "store/front_end_visitors.h"

namespace identity {

inline constexpr std::string_view kVoterCookieName = "ratingd_voter";

// An anonymous voter's signed cookie.
//
// The format is "<voter>.<issued>.s.<signature>". "voter" is a number with 16 hexadecimal digits.
// "issued" is the time of issue in seconds since 1970, in hexadecimal. The signature consists of
// the first 16 bytes of HMAC-SHA256 over the preceding text, in base64url. Version 0.1 wrote "n"
// instead of "s" for voters whose browsers had not yet returned the cookie.
struct VoterCookie {
  model::VoterId voter = 0;  // an anonymous voter
  std::chrono::sys_seconds issued;

  bool operator==(const VoterCookie&) const = default;
};

[[nodiscard]] std::string write_voter_cookie(const VoterCookie& cookie, const KeyRing& keys);

// Returns nothing if the cookie is malformed or not signed with one of "keys". The cookie's age at
// "now" must be between 0 and "life". A cookie issued up to 24 hours after "now" is also accepted,
// because a clock may have been set back.
[[nodiscard]] std::optional<VoterCookie> read_voter_cookie(std::string_view text,
                                                           const KeyRing& keys, base::Time now,
                                                           std::chrono::seconds life);

// The identity of a request's sender, according to the valid credentials in the request.
struct Requester {
  base::Address address;
  std::optional<VoterCookie> cookie;           // an anonymous voter's valid cookie
  bool has_conflicting_cookies = false;        // the request has valid cookies for several voters
  std::optional<model::VoterId> device_voter;  // the anonymous voter for a device token
  bool has_malformed_device_token = false;
  std::optional<cms::User> user;  // the CMS user who is logged in or whom a ticket names
  cms::LoginState login;

  // The front end's ticket, if present. If the request has a ticket, all other credentials are
  // ignored, and "address" is the address in the ticket.
  std::optional<Ticket> ticket;
  std::optional<model::VoterId> visitor;  // the anonymous voter that the ticket names
  bool is_visitor_stored = false;

  // Returns the anonymous voter for the browser or program, whether or not a user is logged in. The
  // cookie takes precedence over the device token, because the page may have only just created the
  // token.
  [[nodiscard]] std::optional<model::VoterId> anonymous_voter() const {
    if (cookie) return cookie->voter;
    return device_voter;
  }

  // Returns the voter, or nothing if the request does not identify a voter.
  [[nodiscard]] std::optional<model::VoterId> voter() const {
    if (user) return user->id;
    if (ticket) return visitor;
    return anonymous_voter();
  }

  // Returns the kind of credential that identifies the voter, or nothing if the request does not
  // identify a voter.
  [[nodiscard]] std::optional<model::IdentifiedBy> identified_by() const {
    if (ticket) return model::IdentifiedBy::ticket;
    if (user) return model::IdentifiedBy::user;
    if (cookie) return model::IdentifiedBy::cookie;
    if (device_voter) return model::IdentifiedBy::device;
    return std::nullopt;
  }

  // Returns whether a login or a ticket identifies the sender. A cookie or a device token is not
  // sufficient.
  [[nodiscard]] bool is_authenticated() const { return user || ticket; }

  [[nodiscard]] bool may(model::Right right) const {
    if (ticket) return ticket->rights.has(right);
    return user && user->rights.has(right);
  }
};

// Reads the address, the anonymous voter's cookie and the device token from "request".
//
// DESIGN. A page on another host in the same domain can set a voter cookie for the whole domain
// ("cookie tossing"). An attacker can obtain a voter cookie with a valid signature from this host.
// Only the last valid cookie in a request counts. Browsers send cookies with longer paths first
// (RFC 6265, section 5.4), so a foreign cookie whose path is longer than our own cookie's path is
// ignored. If a foreign cookie's path is not longer than our own cookie's path, browsers send the
// foreign cookie even with a page's first request, which reads the rating counts. If a request has
// foreign cookies, the response deletes them and does not renew any cookie, so that our own cookie
// remains (response_headers.cpp). Votes are never rejected because of foreign cookies.
[[nodiscard]] Requester recognize(const http::Request& request, const KeyRing& keys,
                                  const model::Settings& settings);

inline constexpr std::size_t kMinDeviceTokenLength = 22;
inline constexpr std::size_t kMaxDeviceTokenLength = 128;

// Returns whether "text" has the format of a device token. The length must be between
// kMinDeviceTokenLength and kMaxDeviceTokenLength, and all characters must be in [A-Za-z0-9_-].
[[nodiscard]] bool is_device_token(std::string_view text);

// Returns the anonymous voter for a device token. The id is a keyed hash of the token, so the same
// token always yields the same voter.
[[nodiscard]] model::VoterId voter_of_device(std::string_view token, const Keys& keys);

// Returns the anonymous voter for a visitor from another front end. The id is a keyed hash of the
// issuer and the subject, so the same visitor always yields the same voter.
[[nodiscard]] model::VoterId voter_of_visitor(const model::FrontEndVisitor& visitor,
                                              const Keys& keys);

// Returns the anonymous voter for a vote that has neither a cookie nor a device token. The id is a
// keyed hash of the request id. If the web server repeats a request on another worker, the request
// id is the same, so both requests count as one vote.
[[nodiscard]] model::VoterId voter_of_request(std::string_view request_id, const Keys& keys);

// Returns the anonymous voter for a vote without credentials. The id is a keyed hash of the
// network, the user agent and the object. "object" is never a facet (model::parent_of), so a vote
// on an object and a vote on its facet have the same voter. "salt" is
// store::SiteState::network_salt. After the salt has been replaced, nobody can determine the
// voter's address, not even with the key.
[[nodiscard]] model::VoterId voter_of_network(const base::Address& address,
                                              std::string_view user_agent,
                                              const model::Object& object, std::string_view salt,
                                              const Keys& keys);

// Returns the string stored in the votes table for an address. For StoreAddress::hash, the string
// is the letter 'h' and 16 bytes of a keyed hash of the network. For StoreAddress::full, the string
// is the digit '4' or '6' and the address itself. For StoreAddress::none or an unknown address, the
// string is empty.
[[nodiscard]] std::string stored_address(const base::Address& address, const Keys& keys,
                                         model::StoreAddress form);

// Returns the number stored in the votes table for a user agent. The number consists of 16 bits of
// a keyed hash and is never 0.
[[nodiscard]] std::uint16_t stored_agent(std::string_view user_agent, const Keys& keys);

// A ticket received with a request. The ticket may be invalid.
struct PresentedTicket {
  std::string_view token;   // points into the request; if there are several tickets, any ticket
  std::string key_name;     // the result of Tickets::key_named_in()
  bool is_only_one = true;  // if false, the request is refused
};

// Identifies the sender of a request. A ticket takes precedence over all other credentials. Without
// a ticket, the sender is a user whom the CMS recognizes (cms::Cms::identify), an anonymous voter,
// or nobody.
//
// Safe for concurrent use.
class Authenticator {
 public:
  // All members must outlive the Authenticator.
  struct Sources {
    const KeyRing& keys;
    const Tickets& tickets;
    UsedTickets& used_tickets;
    cms::Cms& cms;
    cms::LoginServices services;
  };
  explicit Authenticator(const Sources& sources) : sources_(sources) {}

  // Returns whether CMS users can be identified.
  [[nodiscard]] bool is_ready() const { return sources_.cms.is_ready(); }

  // Returns the ticket in the X-Ratingd-Ticket header. A Bearer token also counts as a ticket if it
  // names one of ratingd's keys, even a removed key. Any other Bearer token is ignored because
  // headless sites send their own tokens.
  [[nodiscard]] std::optional<PresentedTicket> find_ticket(const http::Request& request) const;

  // Returns whether verifying "presented" takes a long time.
  [[nodiscard]] bool is_costly(const PresentedTicket& presented) const {
    return sources_.tickets.is_costly(presented.key_name);
  }

  // Verifies "presented". If the ticket is bound to a request, checks that the ticket contains the
  // request line "line". Does not read the database. Does not check a large body: before using the
  // body, the handler must compare it with the ticket's binding (SignedBody). "audiences" contains
  // the site's addresses and must not be empty. Returns an error if the ticket is invalid. Ticket
  // errors are logged at most once a minute.
  [[nodiscard]] tl::expected<Ticket, TicketError> verify(const PresentedTicket& presented,
                                                         const http::Request& request,
                                                         std::string_view line,
                                                         std::span<const std::string> audiences);

  // Returns the sender of a request without a ticket. The Authenticator must be ready (is_ready()).
  // Can throw the same exceptions as the db::Pool class.
  [[nodiscard]] Requester identify(const http::Request& request, const model::Settings& settings,
                                   cms::Route route);

  // Returns the sender of a request with "ticket". Does not set the sender's address.
  // Can throw the same exceptions as the db::Pool class.
  [[nodiscard]] Requester identify(Ticket ticket) const;

 private:
  [[nodiscard]] std::optional<TicketError> refuse_request(const Ticket& ticket,
                                                          const http::Request& request,
                                                          std::string_view line) const;

  const Sources sources_;
  runtime::OnceAMinute refused_;  // limits the log events
};

}  // namespace identity
