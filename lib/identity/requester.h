#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/address.h"
#include "base/clock.h"
#include "cms/login.h"
#include "http/request.h"
#include "identity/secrets.h"
#include "identity/ticket.h"
#include "model/front_end_visitor.h"
#include "model/rating.h"
#include "model/settings.h"

namespace identity {

inline constexpr std::string_view kVoterCookieName = "ratingd_voter";

// The signed cookie of an anonymous voter.
//
// Format: "<voter>.<issued>.s.<signature>": 16 hexadecimal digits, seconds since 1970 in
// hexadecimal, and the first 16 bytes of HMAC-SHA256 over everything before it, in base64url.
// Version 0.1 also wrote "n" instead of "s", for voters whose cookie had not been returned yet.
struct VoterCookie {
  model::VoterId voter = 0;  // anonymous
  std::chrono::sys_seconds issued;

  bool operator==(const VoterCookie&) const = default;
};

[[nodiscard]] std::string write_voter_cookie(const VoterCookie& cookie, const KeyRing& keys);

// Nothing unless the text is well-formed, signed with one of "keys", and its age at "now" is
// between 0 and "life"; up to 24 hours in the future are accepted, for clocks that were set back.
[[nodiscard]] std::optional<VoterCookie> read_voter_cookie(std::string_view text,
                                                           const KeyRing& keys, base::Time now,
                                                           std::chrono::seconds life);

// The sender of a request, by its valid credentials.
struct Requester {
  base::Address address;
  std::optional<VoterCookie> cookie;           // of an anonymous voter, valid
  bool has_conflicting_cookies = false;        // valid ones of other voters came, too
  std::optional<model::VoterId> device_voter;  // the anonymous voter of a device token
  bool has_malformed_device_token = false;
  std::optional<cms::User> user;  // of the CMS, logged in or named by a ticket
  cms::LoginState login;

  // The ticket of a front end; then other credentials are ignored, and "address" is the one in the
  // ticket.
  std::optional<Ticket> ticket;
  std::optional<model::VoterId> visitor;  // the anonymous voter whom the ticket names
  bool is_visitor_stored = false;

  // The anonymous voter of the browser or program, whether or not a user is logged in. The cookie
  // has priority: it is older than a token that the page has just created.
  [[nodiscard]] std::optional<model::VoterId> anonymous_voter() const {
    if (cookie) return cookie->voter;
    return device_voter;
  }

  // The voter, if the request identifies one.
  [[nodiscard]] std::optional<model::VoterId> voter() const {
    if (user) return user->id;
    if (ticket) return visitor;
    return anonymous_voter();
  }

  // By what the request identifies the voter; nothing if it identifies none.
  [[nodiscard]] std::optional<model::IdentifiedBy> identified_by() const {
    if (ticket) return model::IdentifiedBy::ticket;
    if (user) return model::IdentifiedBy::user;
    if (cookie) return model::IdentifiedBy::cookie;
    if (device_voter) return model::IdentifiedBy::device;
    return std::nullopt;
  }

  // Whether a login or a ticket says who it is, not only a cookie or a token.
  [[nodiscard]] bool is_authenticated() const { return user || ticket; }

  [[nodiscard]] bool may(model::Right right) const {
    if (ticket) return ticket->rights.has(right);
    return user && user->rights.has(right);
  }
};

// Reads the address and the anonymous voter's cookie and token from "request".
//
// DESIGN. A page of another host of the same domain can set a cookie of this name for the whole
// domain ("cookie tossing"): one that this host gave to its owner, so it has a valid signature,
// too. They differ in where they are stored. Browsers send cookies with longer paths first (RFC
// 6265, section 5.4), so of several valid cookies the last one counts: one that only comes with
// votes has a longer path than our own. The others come with every request, also with the first
// reading of counts, which may count for their voter. The answer deletes them and renews none, so
// that our own one stays (response_headers.cpp). No vote is refused.
[[nodiscard]] Requester recognise(const http::Request& request, const KeyRing& keys,
                                  const model::Settings& settings);

inline constexpr std::size_t kMinDeviceTokenLength = 22;
inline constexpr std::size_t kMaxDeviceTokenLength = 128;

// Whether "text" has the form of a device token: its length is in these bounds, and all of it is in
// [A-Za-z0-9_-].
[[nodiscard]] bool is_device_token(std::string_view text);

// The anonymous voter of a device token: a keyed hash, always the same for a token.
[[nodiscard]] model::VoterId voter_of_device(std::string_view token, const Keys& keys);

// The anonymous voter of a visitor of another front end: a keyed hash, always the same for the pair
// of issuer and subject.
[[nodiscard]] model::VoterId voter_of_visitor(const model::FrontEndVisitor& visitor,
                                              const Keys& keys);

// The anonymous voter of a vote without cookie and token: a keyed hash of the request id, so a
// request that the web server retries on another worker is the same vote.
[[nodiscard]] model::VoterId voter_of_request(std::string_view request_id, const Keys& keys);

// The anonymous voter of a vote without credentials. Its id is a keyed hash of the network, the
// user agent and the object. "object" is a whole object (model::parent_of), so a vote on it and a
// vote on one of its facets are votes of one voter. "salt" is store::SiteState::network_salt: when
// it has been replaced, nobody can link the voter to an address any more, not even with the key.
[[nodiscard]] model::VoterId voter_of_network(const base::Address& address,
                                              std::string_view user_agent,
                                              const model::Object& object, std::string_view salt,
                                              const Keys& keys);

// The stored form of an address in the votes table, by "form": 'h' and 16 bytes of a keyed hash of
// its network, '4' or '6' and the address itself, or an empty string. Also empty if there is no
// address.
[[nodiscard]] std::string stored_address(const base::Address& address, const Keys& keys,
                                         model::StoreAddress form);

// The stored form of a user agent in the votes table: 16 bits of a keyed hash, never 0.
[[nodiscard]] std::uint16_t stored_agent(std::string_view user_agent, const Keys& keys);

}  // namespace identity
