#pragma once

#include <string_view>

#include "api/errors.h"
#include "http/request.h"
#include "store/site.h"

namespace api {

// DESIGN. Cookies prove who votes, and browsers send cookies with requests that foreign pages make.
// So what changes something is refused when the browser says that it comes from elsewhere, before
// anything of it is read. Requests that say nothing of an origin come from programs, which carry no
// visitor's cookies. Pages of the site itself and of the setting allowed_origins may do everything.
// Anybody may read what is public, but without credentials.

// Whether "origin" is the site's own or one of allowed_origins.
[[nodiscard]] bool is_allowed_origin(std::string_view origin, const store::SiteState& site);

// Whether "request" comes from a page that is neither the site's own nor one of allowed_origins.
[[nodiscard]] bool is_foreign(const http::Request& request, const store::SiteState& site);

// Whether "request", which changes something, may come from where it says it comes from.
[[nodiscard]] bool may_change(const http::Request& request, const store::SiteState& site);

// The error for a request that may not. It says whose pages may: the site's owner reads it where
// the addresses do not fit.
[[nodiscard]] Error bad_origin(const store::SiteState& site);

// Whether "request" comes from a browser, as far as its headers say: all current browsers send one
// of the two with what a script sends.
[[nodiscard]] bool shows_browser(const http::Request& request);

// Whether "request" comes from a page of allowed_origins, as far as can be told one of another
// site: to its browser, the cookies of the answer are a third party's.
[[nodiscard]] bool is_allowed_third_party(const http::Request& request,
                                          const store::SiteState& site);

}  // namespace api
