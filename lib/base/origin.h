#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace base {

// The origin of an http or https URL as browsers write it: lower-case scheme and host, and the port
// unless it is the scheme's default (RFC 6454 §6.1). Nothing for any other text.
[[nodiscard]] std::optional<std::string> origin_of(std::string_view url);

// The host of an origin, without its port.
[[nodiscard]] std::string_view host_of(std::string_view origin);

// The path of an http or https URL without trailing slashes: "/blog", or "" for the root. Nothing
// for any other text.
[[nodiscard]] std::optional<std::string> path_of(std::string_view url);

}  // namespace base
