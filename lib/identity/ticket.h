#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/address.h"
#include "base/clock.h"
#include "identity/ticket_key.h"
#include "model/front_end_visitor.h"
#include "model/rights.h"
#include "runtime/metrics.h"

struct _cjose_jwk_int;  // cjose_jwk_t, NOLINT(bugprone-reserved-identifier)

namespace identity {

// DESIGN. A ticket is a JWT (RFC 7519) in JWS compact serialization (RFC 7515) by which the back
// end of another front end says who its visitor is. The rules follow the best current practice for
// JWT (RFC 8725):
//
// - The key is found by "iss", and the key fixes the algorithm; the header's "alg" must only agree.
//   So no ticket chooses "none", or HMAC with a public key as its secret. No header has a meaning
//   besides "alg" and "typ": keys are never taken from a ticket, and "crit" is refused.
// - The signature is verified before any claim is judged, so a sender without a key learns nothing
//   about what a key may do. Only the form, "iss" and the header are judged before.
// - A ticket lives at most 10 minutes. Until it expires it can be replayed, with any request. For
//   visitors this is accepted: their latest vote is idempotent, and front ends send tickets over
//   HTTPS only. A ticket with the claim "request" is bound to one request (TicketBinding): a
//   copy of it can only repeat that request, and only if it was not answered on this host before
//   (UsedTickets).
// - Clocks of hosts differ: each comparison of times allows 60 seconds.
// - The text is parsed strictly, twice: by our JSON parser, which refuses duplicate members, bad
//   UTF-8, deep nesting, and by cjose, which verifies the signature of the same text.

inline constexpr std::size_t kMaxTicketBytes = 4096;
inline constexpr std::chrono::seconds kMaxTicketLife{600};  // from now until "exp"
inline constexpr std::chrono::seconds kTicketLeeway{60};
// A bound ticket is valid for so long after "iat", and before it: clocks may differ.
inline constexpr std::chrono::seconds kBoundTicketLife{30};
// A body is signed in pieces of this size, so that a long one can be used while it arrives.
inline constexpr std::size_t kSignedPieceBytes = 2'097'152;  // 2 MiB
inline constexpr std::size_t kMaxSignedPieces = 32;

// The one request for which a ticket is valid, once.
struct TicketBinding {
  // "GET /settings": the method, for HEAD that of GET, and the path below the base path with its
  // query, as sent.
  std::string request;
  std::vector<std::string>
      body;           // SHA-256 of each kSignedPieceBytes; the last piece may be shorter
  std::string nonce;  // "jti": 16 to 64 bytes, different in each ticket of the issuer

  bool operator==(const TicketBinding&) const = default;
};

// What a valid ticket says.
struct Ticket {
  model::FrontEndVisitor visitor;
  model::Rights rights;  // those that ticket and key both give
  // The subject is the id of a user of the CMS, in digits; "0" is the CMS itself: a program with
  // rights that is no voter.
  bool is_of_cms_users = false;
  std::optional<base::Address> address = {};  // the visitor's; only if the key may forward
  bool is_sent_by_browsers = false;           // as TicketKey
  std::optional<TicketBinding> binding = {};  // none: valid for any request until it expires

  bool operator==(const Ticket&) const = default;
};

// What becomes of a ticket: it is accepted, or refused for a reason. The order is the layout of the
// counters in shared memory (runtime::Metrics::add_ticket()), so new results go to the end.
inline constexpr auto kTicketResults = std::to_array<std::string_view>(
    {"accepted", "too_long", "two_tickets", "malformed", "unknown_issuer", "removed_key",
     "wrong_algorithm", "critical_header", "bad_signature", "expired", "not_yet_valid",
     "lives_too_long", "wrong_audience", "unknown_right", "other_request", "used", "too_many"});
static_assert(kTicketResults.size() < std::tuple_size<runtime::TicketCounts>());

// Returns the index of "result" in kTicketResults. Returns the size of the list if it is not in it.
[[nodiscard]] constexpr std::size_t index_of_ticket_result(std::string_view result) {
  return static_cast<std::size_t>(std::find(kTicketResults.begin(), kTicketResults.end(), result) -
                                  kTicketResults.begin());
}

struct TicketError {
  std::string_view reason;  // one of kTicketResults
  std::string message;      // a sentence for the front end's author; nothing of ticket or key
};

// Compares a body that arrives in pieces of kSignedPieceBytes with what a bound ticket signs.
class SignedBody {
 public:
  explicit SignedBody(const TicketBinding& binding) : hashes_(binding.body) {}

  // Whether "piece" is the next one. The end of the body is an empty piece.
  [[nodiscard]] bool continues_with(std::string_view piece);

 private:
  std::span<const std::string> hashes_;  // of the remaining pieces
};

// The error for a body that a bound ticket does not sign.
[[nodiscard]] TicketError other_body();

// A ticket key that verifies signatures. Safe for concurrent use: cjose only reads a key.
class TicketVerifier {
 public:
  // Errors: std::runtime_error - an ES256 key is not a point of the curve.
  explicit TicketVerifier(const TicketKey& key);

  // Without the secret.
  [[nodiscard]] const TicketKey& key() const { return key_; }

  // Whether the signature of "token" is the key's. REQUIRES: its header names the key's algorithm.
  [[nodiscard]] bool verifies(std::string_view token, std::size_t signature_bytes) const;

 private:
  struct Release {
    void operator()(_cjose_jwk_int* key) const;
  };

  TicketKey key_;
  std::unique_ptr<_cjose_jwk_int, Release> jwk_;
};

// Verifies tickets. Safe for concurrent use.
class Tickets {
 public:
  // Errors: std::runtime_error - an ES256 key is not a point of the curve.
  // REQUIRES: names and keys as parse_ticket_key() gives them; the name may be the reserved one.
  // "removed_names": of keys that there were.
  explicit Tickets(const std::vector<TicketKey>& keys, std::vector<std::string> removed_names = {});
  Tickets(const Tickets&) = delete;
  Tickets& operator=(const Tickets&) = delete;

  // The name of the key that the claims of "token" have as the issuer, or else its header as "kid":
  // of one of the keys, or a removed one. Empty if there is none. Nothing else is checked. For
  // Authorization: Bearer, which others use, too.
  [[nodiscard]] std::string key_named_in(std::string_view token) const;

  // Whether a signature of a key with this name takes long to verify (ES256).
  [[nodiscard]] bool is_costly(std::string_view name) const;

  // The names of all keys, and the removed ones, each once.
  [[nodiscard]] std::vector<std::string> key_names() const;

  // Verifies "token" at "now", rounded down to a second. "audiences" are the addresses of the site;
  // a slash at the end of them, or of those in the ticket, is ignored. Otherwise they are compared
  // as bytes. Fractions of a second in "exp", "iat" and "nbf" are not rounded. The Authenticator
  // checks whether the request is the one that a bound ticket names, and was not sent before.
  // REQUIRES: "audiences" is not empty.
  [[nodiscard]] tl::expected<Ticket, TicketError> check(std::string_view token,
                                                        std::span<const std::string> audiences,
                                                        base::Time now) const;

 private:
  [[nodiscard]] std::vector<const TicketVerifier*> verifiers_of(std::string_view issuer) const;
  [[nodiscard]] bool is_removed(std::string_view name) const;

  std::vector<TicketVerifier> verifiers_;
  const std::vector<std::string> removed_names_;
};

}  // namespace identity
