#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace identity {

struct BasicCredentials {
  std::string user;  // without a colon
  std::string password;

  bool operator==(const BasicCredentials&) const = default;
};

inline constexpr std::size_t kMaxAuthorizationBytes = 8192;

// Reads an Authorization header as PHP does: "Basic" in any case, base64 in which characters that
// do not belong there are passed over, then everything before the first colon and everything after
// it. Nothing for another scheme, without a colon, with an empty password (PHP and WordPress take
// such a request for one without credentials), or with a NUL.
[[nodiscard]] std::optional<BasicCredentials> parse_basic_auth(std::string_view authorization);

}  // namespace identity
