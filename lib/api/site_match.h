#pragma once

#include <string_view>

#include "http/request.h"
#include "store/site.h"

namespace api {

// Whether "request" was sent to this site, and not to another site of the same web server: below
// "base_path", or to the site's home page or index.php (with rest_route). In a network, the host
// must also be one of the site's addresses, with or without "www."; a single site accepts any host.
// Data that the web server does not provide is not checked. REQUIRES: there is a route for
// request.path.
[[nodiscard]] bool is_for_site(const http::Request& request, const store::SiteState& site,
                               std::string_view base_path);

}  // namespace api
