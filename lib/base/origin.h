#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace base {

// The origin of an http or https URL as browsers write it: lower-case scheme and host, the port
// unless it is the scheme's own (RFC 6454 §6.1); nothing for any other text.
[[nodiscard]] std::optional<std::string> origin_of(std::string_view url);

}  // namespace base
