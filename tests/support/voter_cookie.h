#pragma once

#include <string>
#include <string_view>

#include "identity/requester.h"

namespace support {

// Returns the cookie of an anonymous voter as a browser sends it.
inline std::string voter_cookie(std::string_view value) {
  return std::string(identity::kVoterCookieName) + "=" + std::string(value);
}

}  // namespace support
