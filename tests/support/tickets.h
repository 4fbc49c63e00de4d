#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/text.h"

namespace support {

// Returns a ticket (JWT, HS256) for https://example.org. The ticket is issued at "now", is valid
// for five minutes, and is signed with "secret". "more" contains additional claims such as
// ",\"rights\":[]". "header" is the token's header.
inline std::string ticket(std::string_view secret, const std::string& issuer,
                          const std::string& subject, base::Time now, const std::string& more = "",
                          std::string_view header = R"({"alg":"HS256","typ":"JWT"})") {
  const auto second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  const std::string claims = R"({"aud":"https://example.org","iss":")" + issuer + R"(","sub":")" +
                             subject + R"(","iat":)" + std::to_string(second) + R"(,"exp":)" +
                             std::to_string(second + 300) + more + "}";
  const std::string text = base::to_base64url(header) + "." + base::to_base64url(claims);
  return text + "." + base::to_base64url(base::hmac_sha256(secret, text));
}

}  // namespace support
