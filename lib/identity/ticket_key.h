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
  es256,  // ECDSA on P-256 with SHA-256; ratingd has the public key only
};

// "HS256", as in the header of a ticket (RFC 7518, §3.1).
[[nodiscard]] std::string_view name_of(TicketAlgorithm algorithm);

// A key that verifies the tickets of one issuer.
struct TicketKey {
  std::string name;  // the issuer, as model::is_issuer()
  TicketAlgorithm algorithm = TicketAlgorithm::hs256;
  // HS256: the shared secret, at least kMinSharedSecretBytes. ES256: the coordinates x and y of the
  // public key, 32 bytes each.
  std::string key;
  model::Rights rights = {};     // the most that its tickets can give
  bool may_forward = false;      // its tickets may name the visitor's address
  bool is_of_cms_users = false;  // "sub" is the id of a user of the CMS
  // Its tickets are given to browsers or apps, which send them. Otherwise the front end's server
  // sends them, so the address of their sender is not the visitor's. False for keys of version 0.2.
  bool is_sent_by_browsers = false;
  std::chrono::sys_seconds added = {};

  bool operator==(const TicketKey&) const = default;
};

inline constexpr std::size_t kMinSharedSecretBytes = 32;
inline constexpr std::size_t kMaxSharedSecretBytes = 256;
inline constexpr std::size_t kMaxTicketKeys = 64;
inline constexpr std::size_t kMaxTicketKeysOfOneName = 2;

// A new HS256 secret: 32 random bytes as 43 characters of base64url. The key of the MAC is this
// text, not the bytes that it stands for: that is how libraries for JWT take a secret that is a
// string.
[[nodiscard]] std::string new_shared_secret();

// A key as a line of the secret file has it, after the word "ticket-key":
//
//   NAME hs256|es256 ADDED [rights=RIGHT,...] [may-forward] [cms-users] [sent-by-browsers] KEY
//
// with single spaces, ADDED in RFC 3339 to the second, KEY an HS256 secret of 32 to 256 visible
// ASCII characters, or the base64url of an ES256 key. Errors: a sentence that says what is allowed
// in the place that is wrong; it contains nothing of "text".
[[nodiscard]] tl::expected<TicketKey, std::string> parse_ticket_key(std::string_view text);

// The inverse of parse_ticket_key(). REQUIRES: "key" has a value that the format can hold.
[[nodiscard]] std::string text_of(const TicketKey& key);

// Names of "rights" as a list with commas; empty if there are none.
[[nodiscard]] std::string names_of(model::Rights rights);

// The inverse of names_of(). Nothing for other names and for an empty list.
[[nodiscard]] std::optional<model::Rights> rights_named(std::string_view names);

// Why "key" cannot be added to "keys", as a sentence; nothing if it can.
[[nodiscard]] std::optional<std::string> refusal_to_add(const TicketKey& key,
                                                        std::span<const TicketKey> keys);

}  // namespace identity
