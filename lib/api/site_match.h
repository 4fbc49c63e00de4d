#pragma once

#include <string_view>

#include "http/request.h"
#include "store/site.h"

namespace api {

// Whether "request" was sent to the site that is served, and not to a neighbour behind the same web
// server: below "base_path", or to the site's home page or index.php (with rest_route). Of a
// network, also to a host of the site's addresses, with or without "www."; a single site is asked
// by whatever name reaches it. What the web server does not tell is not checked. REQUIRES: there is
// a route for request.path.
[[nodiscard]] bool is_for_site(const http::Request& request, const store::SiteState& site,
                               std::string_view base_path);

}  // namespace api
