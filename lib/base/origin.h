#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace base {

// Returns the origin of an http or https URL as browsers write it (RFC 6454 §6.1): scheme and host
// are in lower case, and the scheme's default port is omitted. Returns nothing for any other
// string.
[[nodiscard]] std::optional<std::string> origin_of(std::string_view url);

// Returns the host of an origin, without its port.
[[nodiscard]] std::string_view host_of(std::string_view origin);

// Returns the path of an http or https URL without trailing slashes: "/blog", or "" for the root.
// Returns nothing for any other string.
[[nodiscard]] std::optional<std::string> path_of(std::string_view url);

}  // namespace base
