#pragma once

#include <string>
#include <string_view>

#include "identity/requester.h"

namespace support {

// Returns an anonymous voter's cookie in the form that a browser sends.
inline std::string voter_cookie(std::string_view value) {
  return std::string(identity::kVoterCookieName) + "=" + std::string(value);
}

}  // namespace support
