#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/address.h"
#include "base/clock.h"
#include "base/crypto.h"
#include "identity/ticket_key.h"
#include "model/rating.h"
#include "model/rights.h"
#include "runtime/metrics.h"

struct _cjose_jwk_int;  // cjose_jwk_t, NOLINT(bugprone-reserved-identifier)

namespace identity {

// DESIGN. A ticket is a JWT (RFC 7519) in JWS compact serialization (RFC 7515). With a ticket, the
// server of a separate front end tells ratingd which visitor has sent a request. The rules follow
// the best current practice for JWT (RFC 8725).
//
// The "iss" claim selects the key, and the key determines the algorithm. The ticket's "alg" header
// must name the key's algorithm. Because the key determines the algorithm, a ticket can choose
// neither the algorithm "none" nor HMAC with a public key as the secret. In a ticket's header, only
// "alg" and "typ" affect the verification. A ticket cannot supply keys, and a ticket with a "crit"
// header is rejected.
//
// The signature is verified before any other claim is checked, so a sender without a key learns
// nothing about a key's permissions. Before the signature is verified, only the format, the "iss"
// claim and the header are checked.
//
// A ticket is valid for at most 10 minutes. A ticket that is not bound to a request can be replayed
// with any other request until it expires. For visitors, replays are acceptable, because a repeated
// vote changes nothing and front ends send tickets only over HTTPS. A ticket with a "request" claim
// is bound to one request (TicketBinding). A copy of a bound ticket is valid only for the same
// request, and only if this host has not yet accepted the ticket (UsedTickets).
//
// The hosts' clocks differ, so comparisons with "exp", "iat" and "nbf" have a tolerance of 60
// seconds. A bound ticket's "iat" must be within 30 seconds of the current time.
//
// A ticket is parsed strictly, by two parsers. ratingd's JSON parser rejects duplicate members,
// invalid UTF-8 and deep nesting. The cjose library also parses the token and verifies its
// signature.

inline constexpr std::size_t kMaxTicketBytes = 4096;
inline constexpr std::chrono::seconds kMaxTicketLife{600};  // from now until "exp"
inline constexpr std::chrono::seconds kTicketLeeway{60};
// The maximum difference between a bound ticket's "iat" and the current time. Clocks may differ.
inline constexpr std::chrono::seconds kBoundTicketLife{30};
// A body is signed in pieces of kSignedPieceBytes bytes, so that a long body can be processed while
// it arrives.
inline constexpr std::size_t kSignedPieceBytes = 2'097'152;  // 2 MiB
inline constexpr std::size_t kMaxSignedPieces = 32;

// The only request for which a bound ticket is valid. The ticket can be used only once.
struct TicketBinding {
  // The method and the path as sent, for example "GET /settings". The path omits the base path and
  // includes the query. A HEAD request counts as GET.
  std::string request;
  std::vector<std::string>
      body;           // SHA-256 of each kSignedPieceBytes; the last piece may be shorter
  std::string nonce;  // "jti": 16 to 64 bytes, unique among the issuer's tickets

  bool operator==(const TicketBinding&) const = default;
};

// The content of a valid ticket.
struct Ticket {
  model::FrontEndVisitor visitor;
  model::Rights rights;  // permissions that both the ticket and its key contain
  // The subject is a CMS user id, in decimal digits. The subject "0" is the CMS itself, which has
  // permissions but is not a voter.
  bool is_of_cms_users = false;
  std::optional<base::Address> address = {};  // the visitor's address, if the key allows forwarding
  bool is_sent_by_browsers = false;           // as in TicketKey
  std::optional<TicketBinding> binding = {};  // if empty, valid for any request until it expires

  bool operator==(const Ticket&) const = default;
};

// The possible results of checking a ticket. Every result except "accepted" is a reason to reject
// the ticket. Add new results at the end of the list, because the counters in shared memory have
// the same order (runtime::Metrics::add_ticket()).
inline constexpr auto kTicketResults = std::to_array<std::string_view>(
    {"accepted", "too_long", "two_tickets", "malformed", "unknown_issuer", "removed_key",
     "wrong_algorithm", "critical_header", "bad_signature", "expired", "not_yet_valid",
     "lives_too_long", "wrong_audience", "unknown_right", "other_request", "used", "too_many",
     "unbound"});
static_assert(kTicketResults.size() < std::tuple_size<runtime::TicketCounts>());

// Returns the index of "result" in kTicketResults, or the size of kTicketResults if "result" is
// unknown.
[[nodiscard]] constexpr std::size_t index_of_ticket_result(std::string_view result) {
  return static_cast<std::size_t>(std::find(kTicketResults.begin(), kTicketResults.end(), result) -
                                  kTicketResults.begin());
}

struct TicketError {
  std::string_view reason;  // an element of kTicketResults
  std::string message;      // a sentence for the front end's author; omits the ticket and key
};

// Compares a body with the hashes in a bound ticket. The body is passed in pieces of
// kSignedPieceBytes bytes.
class SignedBody {
 public:
  explicit SignedBody(const TicketBinding& binding) : hashes_(binding.body) {}

  // Returns whether "piece" matches the next hash in the ticket. An empty piece ends the body.
  [[nodiscard]] bool continues_with(std::string_view piece);

 private:
  std::span<const std::string> hashes_;  // the hashes of the remaining pieces
};

// Returns the error for a body that differs from the body in the bound ticket.
[[nodiscard]] TicketError other_body();

// Verifies signatures with a ticket key. Safe for concurrent use, because cjose does not change
// keys.
class TicketVerifier {
 public:
  // Throws std::runtime_error if an ES256 key is not a point on the curve.
  explicit TicketVerifier(const TicketKey& key);

  // Returns the key with its secret replaced by an empty string.
  [[nodiscard]] const TicketKey& key() const { return key_; }

  // Returns whether the signature of "token" was made with this key. The "alg" header of "token"
  // must name the key's algorithm.
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
  // Throws std::runtime_error if an ES256 key is not a point on the curve. Names and keys must be
  // in the form returned by parse_ticket_key(). "keys" may contain a key named after the CMS, for
  // tickets from the CMS itself. A secret file must not contain a key with the CMS's name.
  // "removed_names" contains the names of removed keys.
  explicit Tickets(const std::vector<TicketKey>& keys, std::vector<std::string> removed_names = {});
  Tickets(const Tickets&) = delete;
  Tickets& operator=(const Tickets&) = delete;

  // Returns the name of the current or removed key to which "token" refers. The key's name is read
  // from the "iss" claim or, if this claim is missing, from the "kid" header. Returns an empty
  // string if "token" does not refer to a current or removed key. Does not verify the token. The
  // returned name distinguishes ratingd's tickets from other Bearer tokens.
  [[nodiscard]] std::string key_named_in(std::string_view token) const;

  // Returns whether signatures from the key with this name are expensive to verify (ES256).
  [[nodiscard]] bool is_costly(std::string_view name) const;

  // Returns the names of all current and removed keys, without duplicates.
  [[nodiscard]] std::vector<std::string> key_names() const;

  // Verifies "token" at the time "now", which is rounded down to a second. "audiences" contains the
  // site's addresses. A trailing slash in an address is ignored, both in "audiences" and in the
  // ticket. Except for a trailing slash, addresses are compared byte by byte. Fractions of a second
  // in "exp", "iat" and "nbf" are not rounded. The Authenticator, not check(), verifies that a
  // bound ticket matches the request and has not been used before. "audiences" must not be empty.
  [[nodiscard]] tl::expected<Ticket, TicketError> check(std::string_view token,
                                                        std::span<const std::string> audiences,
                                                        base::Time now) const;

 private:
  [[nodiscard]] std::vector<const TicketVerifier*> verifiers_of(std::string_view issuer) const;
  [[nodiscard]] bool is_removed(std::string_view name) const;

  std::vector<TicketVerifier> verifiers_;
  const std::vector<std::string> removed_names_;
};

// DESIGN. Remembers the bound tickets used on this host during the last 90 seconds, so that each
// ticket can be used only once. A bound ticket is accepted from 30 seconds before "iat" until 30
// seconds after "iat". Requests may wait before their tickets are looked up, so the table remembers
// tickets for 90 seconds instead of 60 seconds.
//
// The web server may send a request to a second worker if the first worker fails. A repeated
// request has the same request id, and the table stores the request id with each ticket. A ticket
// that was used before is accepted again only with the same request id. Clients cannot choose the
// request id.
//
// Each ticket is assigned to one bucket, which is a cache line of eight words. Each word represents
// one use of a ticket. A word consists of 26 bits of the ticket's hash, 26 bits of the request id's
// hash, and 12 bits of the time in seconds, so that a single compare-and-swap can record a use. A
// word can be overwritten if its time differs from the current time by more than 90 seconds. The
// time in a word wraps around after 68 minutes, so a word that is about 68 minutes old seems recent
// for three minutes, which only wastes space. Two threads that add the same ticket at the same time
// may use two different words. After adding its word, each thread searches the bucket again, so at
// least one of the two threads finds the other thread's word.
//
// Only tickets with a valid signature are added, so a sender without a key cannot fill the table.
// If a bucket is full, additional tickets in this bucket are rejected. Overwriting a recent word
// would make a used ticket valid again. The table has separate parts for the CMS and for all other
// issuers, with 32,768 tickets each. Because the CMS has its own part, a busy issuer does not block
// tickets from the CMS's own plugin, which uses a few tickets a minute.
//
// Each host has its own table of used tickets. If a site has several hosts, a bound ticket can be
// used once on each host.
//
// Safe for concurrent use by all processes that share the table. Lock-free.
class UsedTickets {
 public:
  struct alignas(64) Bucket {
    std::array<std::atomic<std::uint64_t>, 8> uses;
  };

  using Buckets = std::array<Bucket, 4096>;

  // The layout in shared memory (512 KiB). A table that contains only zeros is empty.
  struct Table {
    base::SharedKey key;
    Buckets of_cms;
    Buckets of_others;
  };

  enum class Use : std::uint8_t {
    allowed,  // used for the first time, or again for the same request
    used,     // used for another request
    no_room,
  };

  // "table" must outlive this object.
  explicit UsedTickets(Table& table) : hash_(table.key), table_(table) {}

  // Marks the ticket "nonce" as used for the request with the id "request_id", which was received
  // at "now". "nonce" is unique among the tickets from "issuer".
  [[nodiscard]] Use use(std::string_view issuer, std::string_view nonce,
                        std::string_view request_id, base::Time now);

 private:
  const base::KeyedHash hash_;
  Table& table_;
};

// The layout name of UsedTickets::Table for config::segment_path().
inline constexpr std::string_view kUsedTicketsLayout = "used tickets 2";

}  // namespace identity
