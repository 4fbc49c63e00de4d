#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/app.h"
#include "api/call.h"

namespace api {

// Returns "url". If the request came by HTTPS, the result has the scheme "https". Browsers do not
// let a page that was loaded by HTTPS request a URL with the scheme "http".
[[nodiscard]] std::string with_scheme_of(const http::Request& request, std::string url);

// Returns the namespace in WordPress's REST API. For "/wp-json/ratingd/v1" this is "ratingd/v1".
[[nodiscard]] std::string namespace_of(std::string_view base_path);

// Returns the URL of WordPress's REST API, which is the result of WordPress's get_rest_url().
// Returns nothing if the site has no REST API or if the base path is not below it.
[[nodiscard]] std::optional<std::string> rest_root(const Core& core, const Call& call);

// Returns the URL for a path below the base path. If the site's address is unknown, the URL is
// relative.
[[nodiscard]] std::string url_of(const Core& core, const Call& call, std::string_view path);

}  // namespace api
