#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace base {

// Returns the origin of an http or https URL in the form in which browsers write it (RFC 6454
// §6.1). Scheme and host are in lower case, and the scheme's default port is omitted. Returns
// nothing if "url" is not an http or https URL.
[[nodiscard]] std::optional<std::string> origin_of(std::string_view url);

// Returns an origin's host, without the port.
[[nodiscard]] std::string_view host_of(std::string_view origin);

// Returns the path of an http or https URL without trailing slashes, such as "/blog", or "" for the
// root. Returns nothing if "url" is not an http or https URL.
[[nodiscard]] std::optional<std::string> path_of(std::string_view url);

}  // namespace base
