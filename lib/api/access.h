#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "api/call.h"
#include "api/errors.h"
#include "http/request.h"
#include "store/site.h"

namespace api {

// Returns the error for a sender whose logins failed too often.
// REQUIRES: login.retry_after is not 0.
[[nodiscard]] Error too_many_logins(const cms::LoginState& login);

// Returns the error for a ticket that was refused with "error".
[[nodiscard]] Error refused_ticket(identity::TicketError error);

// Returns whether the request's address identifies a monitor. It does if the request comes from
// this host and was not forwarded by a proxy, or if it comes from one of the configured networks. A
// request from a foreign site's page never counts as a monitor's request, whatever its address.
[[nodiscard]] bool is_monitor_by_address(const Front& front, const Call& call);

// Returns the error for a requester without the permission "right", or nothing if the requester has
// it.
[[nodiscard]] std::optional<Error> refuse_without(const identity::Requester& requester,
                                                  model::Right right);

// Returns whether the setting `analytics_access` and the requester's permissions allow the
// requester to read analytics.
[[nodiscard]] bool may_read_analytics(const Call& call);

// Returns the error for a requester who may not read analytics, or nothing if the requester may.
[[nodiscard]] std::optional<Error> refuse_analytics(const Call& call);

// Returns the error for a requester who may not read analytics about individual persons, or nothing
// if the requester may. Besides access to analytics, this needs the permission to see persons. All
// users may read data about themselves. The user id "person" names the subject; 0 means all
// persons.
[[nodiscard]] std::optional<Error> refuse_persons(const Call& call, std::uint64_t person);

// DESIGN. Cookies identify voters, and browsers also send cookies with requests that foreign pages
// make. So a request that changes something is refused, before its body is read, if the browser
// reports a foreign origin. Requests without an origin come from programs, which do not send
// visitors' cookies. Pages from the site itself and from the origins in the setting
// `allowed_origins` may send all requests. Public data may be read from any origin, but without
// credentials.
//
// Apps in a webview have origins with their own schemes. The origin "null" does not identify a
// page, because any page can open a frame with this origin. So it cannot be listed in
// `allowed_origins`; the setting `allow_null_origin` controls it.

// Returns whether "request" was sent to this site and not to another site on the same web server.
// The path must be below "base_path". With `rest_route`, the path must be the site's home page or
// its index.php. In a network, the host must also be in one of the site's addresses, with or
// without "www."; a single site accepts any host. Data that the web server does not provide is not
// checked. REQUIRES: there is a route for request.path.
[[nodiscard]] bool is_for_site(const http::Request& request, const store::SiteState& site,
                               std::string_view base_path);

// Returns whether "origin" is the site's own origin or is allowed by the settings `allowed_origins`
// and `allow_null_origin`.
[[nodiscard]] bool is_allowed_origin(std::string_view origin, const store::SiteState& site);

// Returns whether "request" comes from a page whose origin is not allowed (is_allowed_origin()).
[[nodiscard]] bool is_foreign(const http::Request& request, const store::SiteState& site);

// Returns whether "request" may change something. It may if its origin is allowed, or if it has no
// origin and does not come from another site's page.
[[nodiscard]] bool may_change(const http::Request& request, const store::SiteState& site);

// Returns the error for a refused origin. Its message lists the allowed origins, which helps site
// owners whose addresses are misconfigured.
[[nodiscard]] Error bad_origin(const store::SiteState& site);

// Returns whether the headers show that "request" comes from a browser. With requests from scripts,
// all current browsers send the header Origin or the header Sec-Fetch-Site.
[[nodiscard]] bool shows_browser(const http::Request& request);

// Returns whether the sender may be a browser, which would open a login dialog if the response
// asked for a password. Unlike shows_browser(), this also recognizes a browser that follows a link
// or uses plain HTTP. Such a browser sends neither Origin nor Sec-Fetch-Site.
[[nodiscard]] bool opens_login_dialog(const http::Request& request);

// Returns whether the headers show that "request" comes from a page on another site whose origin is
// in `allowed_origins`. In the browser that sent such a request, the cookies in the response are
// third-party cookies.
[[nodiscard]] bool is_allowed_third_party(const http::Request& request,
                                          const store::SiteState& site);

}  // namespace api
