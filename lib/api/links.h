#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/app.h"
#include "api/call.h"

namespace api {

// "url" with HTTPS if the request came by HTTPS: pages that were loaded by HTTPS may not request a
// URL without it.
[[nodiscard]] std::string with_scheme_of(const http::Request& request, std::string url);

// "/wp-json/ratingd/v1" is the namespace "ratingd/v1" of WordPress's REST API.
[[nodiscard]] std::string namespace_of(std::string_view base_path);

// The URL of WordPress's REST API, as its get_rest_url() returns it; nothing if there is none, or
// if "app" is not below it.
[[nodiscard]] std::optional<std::string> rest_root(const App& app, const Call& call);

// The URL of a path below the base path. Relative if the site's address is not known.
[[nodiscard]] std::string url_of(const App& app, const Call& call, std::string_view path);

}  // namespace api
