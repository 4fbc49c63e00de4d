#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "model/rights.h"

namespace identity {

enum class TicketAlgorithm : std::uint8_t {
  hs256,  // HMAC with SHA-256 and a shared secret
  es256,  // ECDSA on P-256 with SHA-256; ratingd has only the public key
};

// Returns the algorithm's name in a ticket's header, for example "HS256" (RFC 7518, section 3.1).
[[nodiscard]] std::string_view name_of(TicketAlgorithm algorithm);

// A key that verifies the tickets from one issuer.
struct TicketKey {
  std::string name;  // the issuer, in the form of model::is_issuer()
  TicketAlgorithm algorithm = TicketAlgorithm::hs256;
  // For HS256, the key is the shared secret, with at least kMinSharedSecretBytes bytes. For ES256,
  // the key consists of the public key's coordinates x and y, each 32 bytes long.
  std::string key;
  model::Rights rights = {};     // the maximum permissions in its tickets
  bool may_forward = false;      // its tickets may name the visitor's address
  bool is_of_cms_users = false;  // "sub" is a CMS user id
  // "is_sent_by_browsers" is true if visitors' browsers or apps send the front end's tickets to
  // ratingd. If "is_sent_by_browsers" is false, the front end's server sends the tickets, so the
  // sender's address is not the visitor's address. "is_sent_by_browsers" is false for ticket keys
  // added by ratingd 0.2.
  bool is_sent_by_browsers = false;
  std::chrono::sys_seconds added = {};

  bool operator==(const TicketKey&) const = default;
};

inline constexpr std::size_t kMinSharedSecretBytes = 32;
inline constexpr std::size_t kMaxSharedSecretBytes = 256;
inline constexpr std::size_t kMaxTicketKeys = 64;
inline constexpr std::size_t kMaxTicketKeysOfOneName = 2;

// Returns a new HS256 secret: 32 random bytes, encoded as 43 base64url characters. The HMAC key is
// the base64url string itself, not the 32 decoded bytes, because JWT libraries also use string
// secrets without decoding them.
[[nodiscard]] std::string new_shared_secret();

// Parses a ticket key in the format of the secret file, without the word "ticket-key":
//
//   NAME hs256|es256 ADDED [rights=RIGHT,...] [may-forward] [cms-users] [sent-by-browsers] KEY
//
// Words are separated by single spaces. ADDED is a time in RFC 3339 format, with a precision of one
// second. KEY is an HS256 secret of 32 to 256 visible ASCII characters, or an ES256 key in
// base64url. If "text" is invalid, returns a message that lists the values allowed in the invalid
// part of "text". The message does not quote "text", because "text" contains a secret.
[[nodiscard]] tl::expected<TicketKey, std::string> parse_ticket_key(std::string_view text);

// Returns the key in the format that parse_ticket_key() reads. Every member of "key" must be valid
// in a secret file.
[[nodiscard]] std::string text_of(const TicketKey& key);

// Returns the names of "rights", separated by commas.
[[nodiscard]] std::string names_of(model::Rights rights);

// Converts a comma-separated list of permission names to a set of permissions. Returns nothing if
// "names" is empty or contains an unknown name.
[[nodiscard]] std::optional<model::Rights> rights_named(std::string_view names);

// Returns the reason why the ticket key "key" may not be added to "keys", or nothing if "key" may
// be added.
[[nodiscard]] std::optional<std::string> refusal_to_add(const TicketKey& key,
                                                        std::span<const TicketKey> keys);

}  // namespace identity
