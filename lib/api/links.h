#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/app.h"
#include "api/call.h"

namespace api {

// Returns "url", with the scheme "https" if the request came by HTTPS. Browsers do not let a page
// that was loaded by HTTPS request a URL with the scheme "http".
[[nodiscard]] std::string with_scheme_of(const http::Request& request, std::string url);

// Returns the namespace in WordPress's REST API. For "/wp-json/ratingd/v1" this is "ratingd/v1".
[[nodiscard]] std::string namespace_of(std::string_view base_path);

// Returns the URL of WordPress's REST API, as WordPress's get_rest_url() does. Returns nothing if
// the site has no REST API or if the base path is not below it.
[[nodiscard]] std::optional<std::string> rest_root(const Core& core, const Call& call);

// Returns the URL of a path below the base path. The URL is relative if the site's address is not
// known.
[[nodiscard]] std::string url_of(const Core& core, const Call& call, std::string_view path);

}  // namespace api
