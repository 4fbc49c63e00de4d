#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "api/call.h"
#include "api/errors.h"
#include "http/request.h"
#include "store/site.h"

namespace api {

// The error after too many failed logins. REQUIRES: login.retry_after is not 0.
[[nodiscard]] Error too_many_logins(const cms::LoginState& login);

// The error for an invalid ticket.
[[nodiscard]] Error refused_ticket(identity::TicketError error);

// Whether the request's address is that of a monitor: this host, not forwarded by a proxy, or one
// of the configured networks. Requests from pages of foreign sites are never from a monitor,
// whatever their address.
[[nodiscard]] bool is_monitor_by_address(const App& app, const Call& call);

// The error for a requester without "right"; nothing if they have it.
[[nodiscard]] std::optional<Error> refuse_without(const identity::Requester& requester,
                                                  model::Right right);

// Whether the requester may read analytics, by the setting analytics_access.
[[nodiscard]] bool may_read_analytics(const Call& call);

// The error for a requester who may not read analytics, by the setting analytics_access.
[[nodiscard]] std::optional<Error> refuse_analytics(const Call& call);

// The same for data about single persons, which also needs the right to see persons. All users may
// read data about themselves: "person" is the subject, 0 for all persons.
[[nodiscard]] std::optional<Error> refuse_persons(const Call& call, std::uint64_t person);

// DESIGN. Cookies identify voters, and browsers also send cookies with requests that foreign pages
// make. So a request that changes something is refused if the browser reports a foreign origin,
// before its body is read. Requests without an origin come from programs, which do not send
// visitors' cookies. Pages of the site itself and of the setting allowed_origins may make all
// requests. Public data may be read from any origin, but without credentials.
//
// Apps in a webview have origins of schemes of their own. The origin "null" says nothing about its
// page, and any page can open a frame that has it: so it is not an item of a list, but a setting.

// Whether "request" was sent to this site, and not to another site of the same web server: below
// "base_path", or to the site's home page or index.php (with rest_route). In a network, the host
// must also be one of the site's addresses, with or without "www."; a single site accepts any host.
// Data that the web server does not provide is not checked. REQUIRES: there is a route for
// request.path.
[[nodiscard]] bool is_for_site(const http::Request& request, const store::SiteState& site,
                               std::string_view base_path);

// Whether "origin" is the site's own, or one that allowed_origins or allow_null_origin allow.
[[nodiscard]] bool is_allowed_origin(std::string_view origin, const store::SiteState& site);

// Whether "request" comes from a page that is neither the site's own nor one of allowed_origins.
[[nodiscard]] bool is_foreign(const http::Request& request, const store::SiteState& site);

// Whether "request", which changes something, comes from an allowed origin.
[[nodiscard]] bool may_change(const http::Request& request, const store::SiteState& site);

// The error for a refused origin. It names the allowed origins, for site owners whose addresses are
// misconfigured.
[[nodiscard]] Error bad_origin(const store::SiteState& site);

// Whether "request" comes from a browser, by its headers: all current browsers send one of the two
// with requests of scripts.
[[nodiscard]] bool shows_browser(const http::Request& request);

// Whether the sender may open a login dialog when it is asked for a password: a browser, also one
// that follows a link or reads over plain HTTP, where it sends neither of the two.
[[nodiscard]] bool opens_login_dialog(const http::Request& request);

// Whether "request" comes from a page of allowed_origins on another site, as far as its headers
// show: for its browser, cookies of the answer are third-party cookies.
[[nodiscard]] bool is_allowed_third_party(const http::Request& request,
                                          const store::SiteState& site);

}  // namespace api
