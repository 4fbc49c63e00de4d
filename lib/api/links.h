#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/app.h"
#include "api/call.h"

namespace api {

// Returns "url", and changes its scheme to "https" if the request was sent over HTTPS. Browsers
// block HTTP requests from pages that were loaded over HTTPS.
[[nodiscard]] std::string with_scheme_of(const http::Request& request, std::string url);

// Returns the namespace in WordPress's REST API, such as "ratingd/v1" for "/wp-json/ratingd/v1".
[[nodiscard]] std::string namespace_of(std::string_view base_path);

// Returns the URL of WordPress's REST API, which is the result of WordPress's get_rest_url().
// Returns nothing if the site does not have a REST API or if the base path is not below the REST
// API.
[[nodiscard]] std::optional<std::string> rest_root(const Core& core, const Call& call);

// Returns the URL for a path below the base path. The URL is relative if the site's address is
// unknown.
[[nodiscard]] std::string url_of(const Core& core, const Call& call, std::string_view path);

}  // namespace api
