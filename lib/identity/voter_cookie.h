#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "identity/secrets.h"
#include "model/rating.h"

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

}  // namespace identity
