#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wordpress {

struct BasicCredentials {
  std::string user;  // without a colon
  std::string password;

  bool operator==(const BasicCredentials&) const = default;
};

inline constexpr std::size_t kMaxAuthorizationBytes = 8192;

// Parses an Authorization header as PHP does: "Basic" in any case, then base64 in which invalid
// characters are skipped, split at the first colon. Nothing for another scheme, without a colon,
// with an empty password (PHP and WordPress treat such a request as one without credentials), or
// with a NUL.
[[nodiscard]] std::optional<BasicCredentials> parse_basic_auth(std::string_view authorization);

}  // namespace wordpress
