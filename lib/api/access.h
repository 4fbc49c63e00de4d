#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "api/call.h"
#include "api/errors.h"
#include "http/request.h"
#include "store/site.h"

namespace api {

// Returns the error for a client with too many failed logins. login.retry_after must not be 0.
[[nodiscard]] Error too_many_logins(const cms::LoginState& login);

// Returns the error for a ticket that was rejected with "error".
[[nodiscard]] Error refused_ticket(identity::TicketError error);

// Returns whether the client's address identifies it as a monitoring program: the request must come
// from this host without being forwarded by a proxy, or from a configured network. A request from
// another site's page never counts as a monitor's request, regardless of the client's address.
[[nodiscard]] bool is_monitor_by_address(const Front& front, const Call& call);

// Returns an error if the requester lacks the given permission. Otherwise, returns nothing.
[[nodiscard]] std::optional<Error> refuse_without(const identity::Requester& requester,
                                                  model::Right right);

// Returns whether the `analytics_access` setting and the requester's permissions allow the
// requester to read analytics.
[[nodiscard]] bool may_read_analytics(const Call& call);

// Returns an error if the requester may not read analytics. Otherwise, returns nothing.
[[nodiscard]] std::optional<Error> refuse_analytics(const Call& call);

// Returns an error if the requester may not read analytics about individual persons. Otherwise,
// returns nothing. The requester needs access to analytics and permission to view individual
// persons. All users may read the analytics about themselves. "person" is a user's id, or 0 for
// everybody.
[[nodiscard]] std::optional<Error> refuse_persons(const Call& call, std::uint64_t person);

// DESIGN. Cookies identify voters, but browsers also send cookies with requests from other sites'
// pages. If the browser reports a foreign origin, a request that would change data is rejected
// before its body is read. Requests without an origin come from programs, which do not send
// visitors' cookies. Pages from the site itself and from the origins in the `allowed_origins`
// setting may send any request. Public data may be read from any origin, but without credentials.
//
// Apps in a webview have origins with their own schemes. Any page can create a frame whose origin
// is "null", so the `allowed_origins` setting cannot contain "null". Only the `allow_null_origin`
// setting can allow the "null" origin.

// Returns whether "request" was sent to this site and not to another site on the same web server.
// The path must be below "base_path". If the `rest_route` parameter selects the route, the path
// must be the site's home page or its index.php. In a network, the host must also match the host in
// one of the site's URLs, with or without "www.". A site that is not part of a network accepts any
// host. If the web server does not pass the host or the path to ratingd, the missing value is not
// checked. A route must exist for request.path.
[[nodiscard]] bool is_for_site(const http::Request& request, const store::SiteState& site,
                               std::string_view base_path);

// Returns whether "origin" is the site's own origin or is allowed by the `allowed_origins` or
// `allow_null_origin` setting.
[[nodiscard]] bool is_allowed_origin(std::string_view origin, const store::SiteState& site);

// Returns whether "request" comes from a page whose origin is not allowed (is_allowed_origin()).
[[nodiscard]] bool is_foreign(const http::Request& request, const store::SiteState& site);

// Returns whether "request" may change data. If the request has an origin, the origin must be
// allowed. A request without an origin must not come from another site's page.
[[nodiscard]] bool may_change(const http::Request& request, const store::SiteState& site);

// Returns the error for a rejected origin. The error message lists the allowed origins, which helps
// site owners fix incorrect addresses.
[[nodiscard]] Error bad_origin(const store::SiteState& site);

// Returns whether the headers show that "request" comes from a browser. If a script sends a
// request, all current browsers add an Origin header or a Sec-Fetch-Site header.
[[nodiscard]] bool shows_browser(const http::Request& request);

// Returns whether the client may be a browser. A browser opens a login dialog if the response
// requests a password. Unlike shows_browser(), this function also detects browsers that send
// neither Origin nor Sec-Fetch-Site, for example over plain HTTP.
[[nodiscard]] bool opens_login_dialog(const http::Request& request);

// Returns whether the headers show that "request" comes from a page on another site whose origin is
// in `allowed_origins`. Browsers treat the cookies in the response to such a request as third-party
// cookies.
[[nodiscard]] bool is_allowed_third_party(const http::Request& request,
                                          const store::SiteState& site);

}  // namespace api
