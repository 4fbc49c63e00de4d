#include "identity/requester.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/crypto.h"
#include "base/text.h"
#include "config/cms.h"
#include "http/parse.h"

namespace identity {
namespace {

constexpr std::size_t kDigestBytes = 16;
constexpr std::size_t kSignatureBytes = 16;
constexpr std::size_t kVoterDigits = 16;
constexpr std::size_t kMaxLength = 100;
// The maximum time by which a cookie's time of issue may be ahead of this host's clock. Another
// host may have issued the cookie, or this host's clock may have been set back. Only hosts with the
// secret can issue cookies. A voter whose cookie is rejected could vote twice.
constexpr std::chrono::hours kClockSkew{24};

std::string sign(std::string_view text, const std::string& key) {
  return base::to_base64url(base::hmac_sha256(key, text).substr(0, kSignatureBytes));
}

std::string hex_number(std::uint64_t number) {
  std::string digits(16, '\0');
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
  digits.resize(static_cast<std::size_t>(end.ptr - digits.data()));
  return digits;
}

std::optional<VoterCookie> parse_payload(std::string_view payload) {
  const std::string_view voter_text = base::take_until(payload, '.');
  const auto voter = base::parse_number<std::uint64_t>(voter_text, 16);
  const auto issued = base::parse_number<std::uint64_t>(base::take_until(payload, '.'), 16);
  if (!voter || !issued || voter_text.size() != kVoterDigits || !model::is_anonymous(*voter)) {
    return std::nullopt;
  }
  if (*issued > std::uint64_t{1} << 40U) return std::nullopt;  // prevents overflow
  if (payload != "n" && payload != "s") return std::nullopt;
  return VoterCookie{*voter,
                     std::chrono::sys_seconds(std::chrono::seconds(static_cast<long>(*issued)))};
}

model::VoterId voter_in(std::string_view digest) {
  model::VoterId voter = 0;
  for (const char byte : digest.substr(0, sizeof voter)) {
    voter = voter << 8U | static_cast<unsigned char>(byte);
  }
  return voter | model::kAnonymousBit;
}

}  // namespace

std::string write_voter_cookie(const VoterCookie& cookie, const KeyRing& keys) {
  const std::string voter = hex_number(cookie.voter);
  const auto issued = static_cast<std::uint64_t>(cookie.issued.time_since_epoch().count());
  const std::string payload = voter + "." + hex_number(issued) + ".s";
  return payload + "." + sign(payload, keys.front().voter_cookie);
}

std::optional<VoterCookie> read_voter_cookie(std::string_view text, const KeyRing& keys,
                                             base::Time now, std::chrono::seconds life) {
  const std::size_t last_dot = text.rfind('.');
  if (text.size() > kMaxLength || last_dot == std::string_view::npos) return std::nullopt;
  const std::string_view payload = text.substr(0, last_dot);
  const std::string_view signature = text.substr(last_dot + 1);
  const auto cookie = parse_payload(payload);  // cheaper than a signature
  if (!cookie) return std::nullopt;
  const bool signed_by_us = std::any_of(keys.begin(), keys.end(), [&](const Keys& key) {
    return base::equals_in_constant_time(sign(payload, key.voter_cookie), signature);
  });
  if (!signed_by_us) return std::nullopt;
  const bool in_time = cookie->issued <= now + kClockSkew && now <= cookie->issued + life;
  return in_time ? cookie : std::nullopt;
}

Requester recognize(const http::Request& request, const KeyRing& keys,
                    const model::Settings& settings) {
  Requester requester;
  requester.address = base::Address::parse(request.remote_address);
  for (const std::string& text : http::find_cookies(request.cookie, kVoterCookieName)) {
    const auto cookie =
        read_voter_cookie(text, keys, request.received_at, settings.voter_cookie_days);
    if (!cookie) continue;
    requester.has_conflicting_cookies |=
        requester.cookie && requester.cookie->voter != cookie->voter;
    requester.cookie = cookie;
  }
  if (!request.has_device_token) return requester;
  if (is_device_token(request.device_token)) {
    requester.device_voter = voter_of_device(request.device_token, keys.front());
  } else {
    requester.has_malformed_device_token = true;
  }
  return requester;
}

bool is_device_token(std::string_view text) {
  return text.size() >= kMinDeviceTokenLength && text.size() <= kMaxDeviceTokenLength &&
         base::consists_of_letters_digits_and(text, "_-");
}

model::VoterId voter_of_device(std::string_view token, const Keys& keys) {
  return voter_in(base::hmac_sha256(keys.device, token));
}

model::VoterId voter_of_visitor(const model::FrontEndVisitor& visitor, const Keys& keys) {
  // A null byte separates the issuer from the subject, because no issuer can contain a null byte.
  return voter_in(base::hmac_sha256(keys.visitor, visitor.issuer + '\0' + visitor.subject));
}

model::VoterId voter_of_request(std::string_view request_id, const Keys& keys) {
  return voter_in(base::hmac_sha256(keys.new_voter, request_id));
}

model::VoterId voter_of_network(const base::Address& address, std::string_view user_agent,
                                const model::Object& object, std::string_view salt,
                                const Keys& keys) {
  const auto with_length = [](std::string_view text) {
    return std::to_string(text.size()) + ':' + std::string(text);
  };
  return voter_in(base::hmac_sha256(
      keys.network, with_length(salt) + with_length(address.network()) + with_length(object.type) +
                        with_length(std::to_string(object.id)) + with_length(user_agent)));
}

std::string stored_address(const base::Address& address, const Keys& keys,
                           model::StoreAddress form) {
  if (address.bytes.empty() || form == model::StoreAddress::none) return {};
  if (form == model::StoreAddress::full) {
    return (address.bytes.size() == 4 ? "4" : "6") + address.bytes;
  }
  return "h" + base::hmac_sha256(keys.address, address.network()).substr(0, kDigestBytes);
}

std::uint16_t stored_agent(std::string_view user_agent, const Keys& keys) {
  const std::string hash = base::hmac_sha256(keys.agent, user_agent);
  const auto byte = [&](std::size_t i) { return unsigned{static_cast<unsigned char>(hash[i])}; };
  const auto number = static_cast<std::uint16_t>(byte(0) << 8U | byte(1));
  return std::max<std::uint16_t>(number, 1);
}

// --- Authenticator -------------------------------------------------------------------------------

namespace {

// Returns the Bearer token in an Authorization header (RFC 6750, section 2.1). Returns an empty
// string for any scheme other than Bearer.
std::string_view bearer_in(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (!base::equals_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) return {};
  return base::trim(authorization.substr(kScheme.size()));
}

}  // namespace

std::optional<PresentedTicket> Authenticator::find_ticket(const http::Request& request) const {
  const Tickets& tickets = sources_.tickets;
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

tl::expected<Ticket, TicketError> Authenticator::verify(const PresentedTicket& presented,
                                                        const http::Request& request,
                                                        std::string_view line,
                                                        std::span<const std::string> audiences) {
  const base::Time now = request.received_at;
  tl::expected<Ticket, TicketError> ticket =
      tl::unexpected(TicketError{"two_tickets", "A request may have one ticket only."});
  if (presented.is_only_one) ticket = sources_.tickets.check(presented.token, audiences, now);
  if (ticket) {
    if (auto refusal = refuse_request(*ticket, request, line)) {
      ticket = tl::unexpected(*std::move(refusal));
    }
  }
  if (!ticket && refused_.passes(now)) {
    sources_.services.log.warning("ticket_refused", {{"reason", ticket.error().reason}});
  }
  return ticket;
}

// Returns an error if the request does not match its bound ticket. The ticket is marked as used
// only after all other checks, so a request that does not match its ticket does not use up the
// ticket.
std::optional<TicketError> Authenticator::refuse_request(const Ticket& ticket,
                                                         const http::Request& request,
                                                         std::string_view line) const {
  if (!ticket.binding) {
    if (!config::cms_named(ticket.visitor.issuer)) return std::nullopt;
    return TicketError{
        "unbound",
        "Tickets of the CMS are valid for one request. Add \"request\", \"body\" and "
        "\"jti\" (docs/headless.md, \"Bound tickets\")."};
  }
  const TicketBinding& binding = *ticket.binding;
  if (binding.request != line) {
    return TicketError{"other_request",
                       "The ticket is for a request with another method, path or query."};
  }
  SignedBody body(binding);
  if (!request.body_too_large &&
      (!(request.body.empty() || body.continues_with(request.body)) || !body.continues_with(""))) {
    return other_body();
  }
  const auto use = sources_.used_tickets.use(ticket.visitor.issuer, binding.nonce, request.id,
                                             request.received_at);
  if (use == UsedTickets::Use::allowed) return std::nullopt;
  if (use == UsedTickets::Use::used) {
    return TicketError{"used", "The ticket was used before. Make a new one for each request."};
  }
  return TicketError{"too_many", "Too many tickets were used within a minute. Make a new one."};
}

Requester Authenticator::identify(const http::Request& request, const model::Settings& settings,
                                  cms::Route route) {
  Requester requester = recognize(request, sources_.keys, settings);
  cms::Identification identification = sources_.cms.identify(request, route, sources_.services);
  requester.user = identification.user;
  requester.login = std::move(identification.login);
  return requester;
}

Requester Authenticator::identify(Ticket ticket) const {
  Requester requester;
  if (ticket.is_of_cms_users) {
    const auto id = base::parse_number<std::uint64_t>(ticket.visitor.subject);
    if (id.value_or(0) != 0) requester.user = cms::User{*id, ticket.rights};
  } else {
    requester.visitor = sources_.services.sessions.with_session(
        [&](db::Connection& connection) { return store::find_voter(connection, ticket.visitor); });
    requester.is_visitor_stored = requester.visitor.has_value();
    if (!requester.visitor) {
      requester.visitor = voter_of_visitor(ticket.visitor, sources_.keys.front());
    }
  }
  requester.ticket = std::move(ticket);
  return requester;
}

}  // namespace identity
