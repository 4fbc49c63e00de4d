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

// What the signed cookie of an anonymous voter says.
//
// Its text is "<voter>.<issued>.<state>.<signature>": 16 hexadecimal digits, seconds since 1970 in
// hexadecimal, "n" (new) or "s" (seen), and the first 16 bytes of HMAC-SHA256 over all before it,
// in base64url.
struct VoterCookie {
  model::VoterId voter = 0;  // anonymous
  std::chrono::sys_seconds issued;
  // Whether the service knows that the cookie came back at least once; such a cookie is sent
  // instead of the first one when that happens.
  bool seen = false;

  bool operator==(const VoterCookie&) const = default;
};

[[nodiscard]] std::string write_voter_cookie(const VoterCookie& cookie, const KeyRing& keys);

// Nothing unless the text has the right form, a signature by one of "keys", and an age from 0 to
// "life" at "now" (a minute in the future is let pass, for hosts whose clocks differ).
[[nodiscard]] std::optional<VoterCookie> read_voter_cookie(std::string_view text,
                                                           const KeyRing& keys, base::Time now,
                                                           std::chrono::seconds life);

}  // namespace identity
