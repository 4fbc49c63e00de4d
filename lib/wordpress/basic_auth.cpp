#include "wordpress/basic_auth.h"

#include "base/bytes.h"

namespace wordpress {

std::optional<BasicCredentials> parse_basic_auth(std::string_view authorization) {
  constexpr std::string_view kScheme = "Basic ";
  if (authorization.size() > kMaxAuthorizationBytes) return std::nullopt;
  if (!base::equals_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) {
    return std::nullopt;
  }
  const std::string text = base::from_base64_like_php(authorization.substr(kScheme.size()));
  const auto colon = text.find(':');
  if (colon == std::string::npos || colon + 1 == text.size()) return std::nullopt;
  if (text.find('\0') != std::string::npos) return std::nullopt;
  return BasicCredentials{text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace wordpress
